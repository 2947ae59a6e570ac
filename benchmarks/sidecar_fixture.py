"""Large responses of Iceberg's own REST catalog, through the server and past it.

``python -m benchmarks.sidecar_fixture`` prints one JSON object. The catalog is Iceberg's test fixture (Java). It loads
a view, whose response is streamed unchanged, and a table, whose response is changed. Requests to the catalog and
through the server alternate.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.http_server import HOST, serving
from tests.counterparts.iceberg_rest import iceberg_rest_server

CATALOG = "fixture"
VALUE_BYTES = 2**14
LOADED = {"a view, streamed": "namespaces/b/views/v", "a table, changed": "namespaces/b/tables/t"}


def request(port: int, method: str, path: str, document: object = None) -> bytes:
    """Send a request over its own connection, and return the response's body; SystemExit: its status is not 200."""
    connection = http.client.HTTPConnection(HOST, port, timeout=300)
    body = None if document is None else json.dumps(document).encode()
    connection.request(method, path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    found = response.read()
    connection.close()
    if response.status != http.client.OK:
        raise SystemExit(f"{method} {path}: {response.status} {found[:300]!r}")
    return found


def fill(port: int, mebibytes: int) -> None:
    """Create the namespace, the table and the view; each has properties of this size."""
    schema = {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "id", "type": "long", "required": False}],
    }
    properties = {f"p{number}": "x" * VALUE_BYTES for number in range(mebibytes * 2**20 // VALUE_BYTES)}
    version = {
        "version-id": 1,
        "timestamp-ms": 1_700_000_000_000,
        "schema-id": 0,
        "summary": {},
        "representations": [{"type": "sql", "sql": "SELECT 1", "dialect": "spark"}],
        "default-namespace": ["b"],
    }
    request(port, "POST", "/v1/namespaces", {"namespace": ["b"], "properties": {}})
    request(port, "POST", "/v1/namespaces/b/tables", {"name": "t", "schema": schema, "properties": properties})
    view = {"name": "v", "schema": schema, "view-version": version, "properties": properties}
    request(port, "POST", "/v1/namespaces/b/views", view)


def measure(folder: Path, mebibytes: int, times: int) -> dict[str, object]:
    """Return the medians, in MB/s, of each response past and through the server, and the server's CPU time."""
    results: dict[str, object] = {"load": round(os.getloadavg()[0], 1), "MiB": mebibytes, "times": times}
    with iceberg_rest_server(folder) as catalog:
        port = int(catalog.uri.rsplit(":", 1)[1])
        fill(port, mebibytes)
        catalogs = json.dumps({CATALOG: {"type": "rest", "uri": catalog.uri}})
        with serving(folder, folder, catalogs=catalogs) as server:
            for case, path in LOADED.items():
                ends = {"upstream": (port, f"/v1/{path}"), "through": (server.port, f"/iceberg/v1/{CATALOG}/{path}")}
                speeds: dict[str, list[float]] = {name: [] for name in ends}
                before = 0.0
                for number in range(-3, times):
                    before = server.cpu() if number == 0 else before
                    for name, (asked, target) in ends.items():
                        started = time.perf_counter()
                        size = len(request(asked, "GET", target))
                        if number >= 0:
                            speeds[name].append(size / (time.perf_counter() - started) / 1e6)
                medians = {name: round(statistics.median(found), 1) for name, found in speeds.items()}
                ratio = round(medians["through"] / medians["upstream"], 2)
                cpu = round((server.cpu() - before) / times * 1000)
                results[f"{case}, MB/s"] = {**medians, "ratio": ratio, "server's CPU, ms": cpu}
    return results


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.sidecar_fixture", description=__doc__)
    parser.add_argument("--mebibytes", type=int, default=32)
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = measure(Path(folder), given.mebibytes, given.times)
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
