"""Delete files of tables whose locations are rewritten."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pytest

from lakemuster.catalog.iceberg_rest.scan_tasks import Collected, TaskWriter
from lakemuster.errors import FormatUnsupported
from lakemuster.metadata.files import EQUALITY_DELETES, POSITION_DELETES

MOVED = (("s3://old", "s3://new"),)


def refused(paths: list[str], of_file: list[list[int]], rewrites: tuple[tuple[str, str], ...] = MOVED) -> bool:
    """Return whether files are refused; delete files 0 and 2 are position deletes, 1 is an equality delete."""
    deletes = [
        (None, pa.table({"content": pa.array(contents, pa.int8())}))
        for contents in ([POSITION_DELETES, EQUALITY_DELETES], [POSITION_DELETES])
    ]
    planned = SimpleNamespace(
        view=SimpleNamespace(table=SimpleNamespace(rewrites=rewrites)),
        plan=SimpleNamespace(scan=SimpleNamespace(delete_tables=deletes)),
    )
    numbers = np.array([number for own in of_file for number in own], np.int64)
    piece = SimpleNamespace(
        table=pa.table({"file_path": paths}),
        delete_offsets=np.cumsum([0, *map(len, of_file)]),
        deletes=numbers,
    )
    found = Collected(cast("Any", (piece,)), np.unique(numbers), None)
    try:
        TaskWriter(cast("Any", planned), cast("Any", None))._require_deletes_to_be_found(found)
    except FormatUnsupported:
        return True
    return False


@pytest.mark.parametrize(
    ("paths", "of_file", "refuse"),
    [
        (["s3://old/a"], [[0]], True),
        (["s3://old/a"], [[1, 2]], True),
        (["s3://old/a", "s3://else/b"], [[1], [0]], False),
        (["s3://else/a", "s3://old/b"], [[0], [2]], True),
        (["s3://old/a", "s3://else/b", "s3://old/c"], [[], [0, 1], []], False),
        (["s3://old/a", "s3://old/b", "s3://old/c"], [[], [], [2]], True),
        (["s3://old/a"], [[1]], False),
        (["s3://old/a"], [[]], False),
    ],
)
def test_position_deletes_that_readers_would_not_find_are_refused(
    paths: list[str], of_file: list[list[int]], refuse: bool
) -> None:
    assert refused(paths, of_file) is refuse
    assert not refused(paths, of_file, ())
