"""The file in memory by which blocks reach DataFusion: kept from one decoding to the next, never shared by two."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lakemuster.formats.avro import engines, read_table
from tests.unit.formats.avro_files import record, written


def made(rows: int, text: str) -> tuple[bytes, list[object]]:
    values: list[object] = [{"a": number, "b": text} for number in range(rows)]
    return written(record(("a", "long"), ("b", "string")), values), values


def test_files_longer_and_shorter_than_the_one_before_are_read_whole() -> None:
    for rows, text in ((10, "x"), (5000, "long " * 20), (3, "y"), (700, "other"), (1, "")):
        data, values = made(rows, text)
        assert read_table(data, engine="datafusion")[1].to_pylist() == values


def test_what_was_written_is_the_whole_file() -> None:
    for parts in ([b"first", b" and longer"], [b"second"], [b""], [b"x" * 100_000] * 3):
        with engines._as_file(parts) as path:
            assert Path(path).read_bytes() == b"".join(parts)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="elsewhere it is a temporary file, and none is kept")
def test_little_of_a_large_file_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_KEPT_BYTES", 1000)
    with engines._as_file([b"x" * 5000]) as path:
        assert Path(path).stat().st_size == 5000
    assert Path(path).stat().st_size == 1000


def test_threads_have_files_of_their_own() -> None:
    cases = [made(300 + number, str(number) * 9) for number in range(8)]
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda case: read_table(case[0], engine="datafusion")[1].to_pylist(), cases * 4)
    assert list(found) == [values for _, values in cases * 4]


def test_a_forked_process_leaves_its_parents_file_alone() -> None:
    code = """
import os
from pathlib import Path
from lakemuster.formats.avro.engines import _as_file
with _as_file([b"parent"]) as path:
    child = os.fork()
    if not child:
        with _as_file([b"child"]):
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0 and Path(path).read_bytes() == b"parent", Path(path).read_bytes()
"""
    subprocess.run([sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{code}"], check=True)
