"""What rows of Paimon files say that their entries do not."""

from __future__ import annotations

import pyarrow as pa

from lakemuster.planner.paimon.rows import file_formats


def test_the_format_is_the_ending_before_a_compression():
    formats = {
        "data-1-0.parquet": "parquet",
        "data-1-0.zstd.ORC": "orc",
        "data-1-0.csv.gz": "csv",
        "data-1.2-0.json.ZST": "json",
        "data-1-0.vector.lance": "lance",
        "compacted-changelog-1$0-10-0-5.cc-parquet": "parquet",
        "data-1-0": None,
    }
    assert file_formats(pa.table({"file_name": list(formats)})).to_pylist() == list(formats.values())
