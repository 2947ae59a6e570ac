"""Time DuckDB's plans with its Iceberg extension, in DuckDB's environment; requests and responses are lines of JSON.

A request is ``{"metadata", "where", "read"}``: a metadata file, an SQL condition or null, and whether to read.
DuckDB has no plan without reading. With ``read``, the response has the time of ``EXPLAIN ANALYZE SELECT id``, from the
statement to its last row, and the data files opened for it according to DuckDB's log; the files must exist, but may be
empty. Without, it has the time of ``EXPLAIN``, which reads every manifest that is not pruned for its estimate, and the
files of ``iceberg_metadata``.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

OPENED = "SELECT DISTINCT path FROM duckdb_logs_parsed('FileSystem') WHERE ends_with(path, '.parquet')"


def connected() -> Any:
    """Return a connection with the environment's extensions, without downloads."""
    duckdb: Any = importlib.import_module("duckdb")  # installed in another environment
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "autoload_known_extensions": False})
    for name in ("avro", "httpfs", "iceberg"):
        folder = Path(str(importlib.import_module(f"duckdb_extension_{name}").__file__)).parent
        (extension,) = folder.rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{extension}'")
    # The log does not contain the opening of files that are cached in memory.
    connection.execute("SET enable_external_file_cache = false")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CALL enable_logging('FileSystem')")
    return connection


def plan(connection: Any, metadata: str, where: str | None, *, read: bool) -> dict[str, object]:
    """Return the milliseconds of a plan, and the locations of its files."""
    connection.execute("CALL truncate_duckdb_logs()")
    what = f"SELECT id FROM iceberg_scan('{metadata}') WHERE {where or 'true'}"
    started = time.perf_counter()
    connection.execute(f"EXPLAIN {'ANALYZE ' if read else ''}{what}").fetchall()
    taken = (time.perf_counter() - started) * 1000
    listed = f"SELECT file_path FROM iceberg_metadata('{metadata}') WHERE status <> 'DELETED'"
    return {"ms": taken, "files": [path for (path,) in connection.execute(OPENED if read else listed).fetchall()]}


def main() -> None:
    """Respond to requests until the input ends."""
    connection = connected()
    for line in sys.stdin:
        try:
            said: dict[str, object] = plan(connection, **json.loads(line))
        except Exception as problem:  # noqa: BLE001 - any error is the response
            said = {"error": str(problem)[:500]}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
