"""Timestamps of ORC files are refused where pyarrow would return wrong values."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import orc

from lakemuster.spark.reading.model import NotReadable
from tests.unit.spark.reading.paimon.lake import MemoryLake, field_row, planned, rows_of, schema_row, to_read

FIELDS = [field_row(0, "id", "BIGINT"), field_row(1, "at", "TIMESTAMP(6)")]


def test_refused_only_where_they_are_read(monkeypatch):
    out = pa.BufferOutputStream()
    orc.write_table(pa.table({"id": [7], "at": pa.array([1], pa.timestamp("us"))}), out)
    lake, data = MemoryLake(), out.getvalue().to_pybytes()
    file = planned(lake.write("t.orc", data), data, 1, file_format="orc")
    schemas = [schema_row(0, FIELDS)]
    checked = "lakemuster.spark.reading.paimon.data_files.timestamps_are_checked"
    monkeypatch.setattr(checked, lambda: True)
    assert len(rows_of(to_read(schemas), [file], lake)) == 1
    monkeypatch.setattr(checked, lambda: False)
    with pytest.raises(NotReadable, match="need a newer pyarrow"):
        rows_of(to_read(schemas), [file], lake)
    assert rows_of(to_read(schemas, ["id"]), [file], lake) == [{"id": 7}]
