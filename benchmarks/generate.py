"""Write benchmark tables of any size: ``python -m benchmarks.generate iceberg FOLDER --files 1000000``.

Their metadata equals that of real writers, field by field and block by block; there are no data files.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from benchmarks.iceberg_table import IcebergTable, append_manifest, iceberg_table
from benchmarks.paimon_table import PaimonTable, paimon_table

__all__ = ["IcebergTable", "PaimonTable", "append_manifest", "iceberg_table", "paimon_table"]


def main() -> None:
    """Write one table, and print its size."""
    parser = argparse.ArgumentParser(prog="benchmarks.generate", description=__doc__)
    parser.add_argument("format", choices=["iceberg", "paimon", "append"], help="append: one more Iceberg manifest")
    parser.add_argument("folder", help="the table's root, not there yet (append: already there)")
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--manifests", type=int, default=100)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--unpartitioned", action="store_true", help="Iceberg: no partition spec")
    parser.add_argument("--scattered", action="store_true", help="Iceberg: every manifest has files of every day")
    parser.add_argument("--level", type=int, default=9, help="Iceberg: of deflate; Java's is 9, the fastest is 1")
    parser.add_argument("--primary-key", action="store_true", help="Paimon: a key, buckets, and a compaction")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    size = {"files": given.files, "columns": given.columns, "manifests": given.manifests, "days": given.days}
    start = time.monotonic()
    table: IcebergTable | PaimonTable
    if given.format == "append":
        table = append_manifest(given.folder, files=given.files)
    elif given.format == "paimon":
        table = paimon_table(given.folder, **size, primary_key=given.primary_key, processes=given.processes)
    else:
        layout = {"partitioned": not given.unpartitioned, "scattered": given.scattered, "level": given.level}
        table = iceberg_table(given.folder, **size, **layout, processes=given.processes)
    sys.stdout.write(f"{table} in {time.monotonic() - start:.1f} s\n")


if __name__ == "__main__":
    main()
