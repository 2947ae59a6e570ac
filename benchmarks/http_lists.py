"""W8, all files of a table over HTTP: pages of JSON, NDJSON and Arrow.

``python -m benchmarks.http_lists --table T --index I`` prints one JSON object. For each form: milliseconds to the first
byte, rows per second of wall-clock time and of the server's CPU time, megabytes per second, and the maximum growth of
the server's memory during the read. Limits, measured in the same run: as many constant bytes, in parts of the same
size, from an endpoint of the same framework, to the same client; and copying as many bytes in memory. Each is measured
twice, and the difference is the machine's noise.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.http_server import NAME, Ask, Connection, Server, arguments, empty, prepared, serving

ARROW, NDJSON = "application/vnd.apache.arrow.stream", "application/x-ndjson"
FILES, PLAN = f"/api/v1/tables/{NAME}/files", f"/api/v1/tables/{NAME}/plan"
ROWS = {
    "files, Arrow": Ask("GET", FILES, accept=ARROW),
    "files, NDJSON": Ask("GET", FILES, accept=NDJSON),
    "plan, Arrow": Ask("POST", PLAN, b"{}", ARROW),
    "plan, NDJSON": Ask("POST", PLAN, b"{}", NDJSON),
    "manifests' columns of 3 statistics, NDJSON": Ask("GET", FILES + "?stats=id,price,ts", accept=NDJSON),
}
PART_BYTES = 2 * 2**20
LOOKS = 40
"""Number of parts between two samples of the server's memory."""


def read(server: Server, ask: Ask, rows: int) -> dict[str, float]:
    """Read a whole stream, and measure it."""
    connection = Connection(server.port)
    memory, cpu, started = server.anonymous_bytes(), server.cpu(), time.perf_counter()
    first = size = highest = 0.0
    for number, some in enumerate(connection.stream(ask)):
        first = first or time.perf_counter() - started
        size += some
        if number % LOOKS == 0:
            highest = max(highest, server.anonymous_bytes() - memory)
    wall, used = time.perf_counter() - started, server.cpu() - cpu
    connection.close()
    return _figures(rows, size, wall, used) | {"first_byte_ms": round(first * 1000, 1), "grown_mib": highest // 2**20}


def pages(server: Server, rows: int, size: int, most: int) -> dict[str, float]:
    """Read at most ``most`` JSON pages one after another, and measure them."""
    connection, token = Connection(server.port), ""
    cpu, started, count, read_bytes = server.cpu(), time.perf_counter(), 0, 0
    for _ in range(most):
        body = connection.ask(Ask("GET", f"{FILES}?page_size={size}{token}"))
        following = json.loads(b"{" + body[body.rindex(b'"next_page_token"') :])["next_page_token"]
        count, read_bytes = min(rows, count + size), read_bytes + len(body)
        if following is None:
            break
        token = f"&page_token={following}"
    wall, used = time.perf_counter() - started, server.cpu() - cpu
    connection.close()
    return _figures(count, read_bytes, wall, used)


def _figures(rows: int, size: float, wall: float, used: float) -> dict[str, float]:
    return {
        "rows": rows,
        "rows_per_second": round(rows / wall),
        "rows_per_cpu_second": round(rows / max(used, 1e-9)),
        "megabytes_per_second": round(size / wall / 1e6),
        "bytes_per_row": round(size / rows),
    }


def ready_bytes(folder: Path, rows: int, row_bytes: float) -> dict[str, float]:
    """Read as many constant bytes from the empty app."""
    parts = max(1, round(rows * row_bytes / PART_BYTES))
    with empty(folder) as server:
        return read(server, Ask("POST", f"/stream?parts={parts}&part_bytes={PART_BYTES}"), rows)


def copied(size: int) -> float:
    """Return the gigabytes per second that one core copies in memory."""
    block = bytearray(PART_BYTES)
    started = time.perf_counter()
    for _ in range(size // PART_BYTES):
        bytes(block)
    return round(size / (time.perf_counter() - started) / 1e9, 1)


def measure(table: Path, folder: Path, most: int) -> Iterator[tuple[str, object]]:
    """Yield repeated measurements of every form, then the limits."""
    with serving(folder, table.parent) as server:
        connection = Connection(server.port)
        rows = json.loads(connection.ask(Ask("POST", PLAN, b'{"page_size": 1}')))["counts"]["files"]
        connection.close()
        widths = {}
        for name, ask in ROWS.items():
            runs = [read(server, ask, rows) for _ in range(3)]
            yield name, {"first": runs[0], "then": runs[1:]}
            widths[name] = runs[0]["bytes_per_row"]
        for size in (1000, 10_000):
            yield f"files, JSON pages of {size}", [pages(server, rows, size, most) for _ in range(2)]
    for name in ("files, Arrow", "files, NDJSON"):
        yield f"limit of {name}: ready bytes", [ready_bytes(folder, rows, widths[name]) for _ in range(2)]
    yield "memory, GB/s copied", [copied(2**30) for _ in range(2)]


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.http_lists", description=__doc__)
    arguments(parser)
    parser.add_argument("--pages", type=int, default=200, help="pages of each size that are read at most")
    given = parser.parse_args()
    with prepared(given) as (table, folder):
        results = dict(measure(table, folder, given.pages))
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
