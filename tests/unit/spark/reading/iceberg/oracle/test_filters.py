"""Pieces of random tables' files, with row groups skipped by a filter, give the filtered rows of whole files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random

import pytest

from lakemuster.spark.reading.iceberg.parquet import ParquetRows
from tests.unit.spark.reading.iceberg.oracle import cases
from tests.unit.spark.reading.iceberg.oracle.cases import Case, make_case
from tests.unit.spark.reading.iceberg.oracle.filters import PLANTED, differs_when_filtered, make_filter

CASES = int(os.environ.get("MUSTER_ICEBERG_ROWS", "120"))
FILTERS = 3


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    """Tables of Parquet files only."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cases, "FORMATS", ("parquet",))
        return [make_case(seed, tmp_path_factory.mktemp(str(seed))) for seed in range(CASES)]


def asked(written: list[Case], seed: int = 0) -> Iterator[tuple[str, Case, str, Random]]:
    for number, case in enumerate(written):
        random = Random(f"{seed} {number}")
        for _ in range(FILTERS):
            yield f"case {number}", case, make_filter(random, case), random


def test_rows_are_those_of_whole_files(written, monkeypatch):
    read, groups = [], []
    batches, init = ParquetRows.batches, ParquetRows.__init__

    def opened(self, source):
        init(self, source)
        groups.extend(self.row_ranges)

    monkeypatch.setattr(ParquetRows, "__init__", opened)
    monkeypatch.setattr(ParquetRows, "batches", lambda self, *of: read.append(of) or batches(self, *of))
    for name, case, text, random in asked(written):
        assert differs_when_filtered(case, text, random) is None, name
    assert len(read) < 0.8 * len(groups), "too few row groups were skipped"


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_seen(name, written, monkeypatch):
    PLANTED[name](monkeypatch)
    assert any(differs_when_filtered(case, text, random) for _, case, text, random in asked(written))
