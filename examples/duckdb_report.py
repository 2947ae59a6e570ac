"""Write the result of a SQL query over the lake as CSV, with DuckDB: ``duckdb_report.py QUERY FILE``.

DuckDB attaches ``/iceberg`` as the catalog ``lake``, plans by itself and reads the files. Needs ``duckdb`` and its
extensions: the installed packages ``duckdb-extension-…``, or a network to install them from.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import duckdb


def load(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension from its package, or install it."""
    package = importlib.util.find_spec(f"duckdb_extension_{name}")
    if package is None or package.origin is None:
        connection.install_extension(name)
        connection.load_extension(name)
        return
    [file] = Path(package.origin).parent.rglob("*.duckdb_extension")
    connection.load_extension(str(file))


def main(query: str, file: str) -> None:
    """Write the file, and print the number of its rows."""
    uri = os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181")
    connection = duckdb.connect()
    for name in ("avro", "httpfs", "iceberg"):
        load(connection, name)
    connection.execute(
        f"ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{uri}/iceberg', AUTHORIZATION_TYPE none, "
        "ACCESS_DELEGATION_MODE none)"
    )
    rows = connection.sql(query)
    rows.write_csv(file, header=True)
    print(len(rows), "rows")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} QUERY FILE")
    main(*sys.argv[1:])
