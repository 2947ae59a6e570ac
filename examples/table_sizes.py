"""Write the size of every partition of every table as CSV, for a dashboard: ``table_sizes.py FILE``.

The lists cross the network as Arrow streams, which end with a count: a broken answer is an error, not a shorter list.
Needs the bare install. ``LAKEMUSTER_URI`` and ``LAKEMUSTER_TOKEN`` name the server and the token.
"""

from __future__ import annotations

import json
import os
import sys

import pyarrow as pa
import pyarrow.csv

from lakemuster import Client

SIZES = ["record_count", "file_count", "total_data_file_size_in_bytes"]


def sizes(client: Client, name: str) -> pa.Table:
    """Return a row per partition of one table: its name, the partition as JSON, records, files and bytes."""
    found = client.table(name).partitions().to_arrow()
    partitions = [json.dumps(value, default=str) for value in found.column("partition").to_pylist()]
    columns = {"table": pa.array([name] * found.num_rows, pa.string()), "partition": pa.array(partitions, pa.string())}
    return pa.table(columns | {size: found.column(size).cast(pa.int64()) for size in SIZES})


def main(file: str) -> None:
    """Write the file, and print the totals of each table."""
    uri = os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181")
    with Client(uri, os.environ.get("LAKEMUSTER_TOKEN")) as client:
        report = pa.concat_tables([sizes(client, table.name) for table in client.tables()])
    pyarrow.csv.write_csv(report, file)
    totals = report.group_by("table", use_threads=False).aggregate([(size, "sum") for size in SIZES])
    for row in totals.to_pylist():
        print(*row.values(), sep="\t")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FILE")
    main(sys.argv[1])
