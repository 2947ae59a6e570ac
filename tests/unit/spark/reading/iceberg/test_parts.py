"""A task reads delete files that its files share once."""

from __future__ import annotations

import pyarrow as pa

from lakemuster.spark import planning
from lakemuster.spark.options import Options
from lakemuster.spark.planning import TaskInput, task_rows
from lakemuster.spark.reading.model import Split
from tests.unit.spark.reading.iceberg.deletes import equality_deletes, position_deletes
from tests.unit.spark.reading.iceberg.lake import LocalFiles, column, data_file, table


def test_a_delete_file_of_all_files_of_a_task_is_read_once(tmp_path, monkeypatch):
    files = [data_file(tmp_path / f"{at}.parquet", [(1, "a", pa.array([0, 1, 2]))]) for at in range(3)]
    deletes = [
        position_deletes(tmp_path / "p.parquet", [(file["file_path"], 0) for file in files]),
        equality_deletes(tmp_path / "e.parquet", [(1, "a", pa.array([2]))], [1]),
    ]
    by = LocalFiles()
    monkeypatch.setattr(planning, "files_here", lambda: by)
    part = TaskInput(tuple(Split(({**file, "deletes": deletes},)) for file in files))
    batches = list(task_rows(Options("http://127.0.0.1:1", "db.t"), table(column(1, "a", "long")), part))
    assert [row["a"] for batch in batches for row in batch.to_pylist()] == [1, 1, 1]
    assert all(by.opened.count(delete["file_path"]) == 1 for delete in deletes)
