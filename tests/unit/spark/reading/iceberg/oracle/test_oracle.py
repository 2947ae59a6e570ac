"""Rows read from random tables equal those of a plain model; planted bugs are detected."""

from __future__ import annotations

import os

import pytest

from lakemuster.spark.reading.iceberg import read
from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.iceberg.lake import LocalFiles
from tests.unit.spark.reading.iceberg.oracle.cases import differs, make_case
from tests.unit.spark.reading.iceberg.oracle.planted import PLANTED

CASES = int(os.environ.get("MUSTER_ICEBERG_ROWS", "150"))


def test_rows_are_those_of_the_model(tmp_path):
    for seed in range(CASES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = make_case(seed, folder)
        assert differs(case, read, LocalFiles()) is None, f"seed {seed}"


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_seen(name, tmp_path, monkeypatch):
    for seed in range(CASES):
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = make_case(seed, folder)
        with monkeypatch.context() as patched:
            PLANTED[name](patched)
            try:
                seen = differs(case, read, LocalFiles())
            except (NotReadable, ValueError):  # an error is no silent bug: try the next case
                continue
        if seen is not None:
            return
    pytest.fail(f"{CASES} cases do not catch the bug")
