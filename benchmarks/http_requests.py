"""W4 and W7 over HTTP, and plans of the Iceberg REST catalog protocol: one client on a persistent connection.

``python -m benchmarks.http_requests --table T --index I`` prints one JSON object: for every request the median, the
99th percentile, and the server's CPU time, in milliseconds. "Again" is the same request, "new" another one each time.
The limit is an endpoint of the same framework that responds with constant bytes, in its event loop and in a worker
thread, measured before and after (the difference is the machine's noise).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.http_server import NAME, Ask, Connection, Server, empty, plan, run, serving

DAY = ("2023-05-{:02}T00:00:00+00:00", "2023-05-{:02}T00:00:00+00:00")
REST = f"/iceberg/v1/namespaces/{NAME.split('.')[0]}/tables/{NAME.split('.')[1]}"
MOST_MILLISECONDS = 10_000
"""Time limit of one measurement: slow requests are repeated less often."""
Make = Callable[[int], Ask]


def day(number: int) -> tuple[str, str]:
    """Return the limits of a day."""
    first = 1 + number % 28
    return DAY[0].format(first), DAY[1].format(first + 1)


def clustered(number: int) -> tuple[int, int]:
    """Return the limits of a range of the clustered column, half a million wide, within the ids of a million files."""
    low = 400_000_000 + number * 100_003 % 500_000_000
    return low, low + 500_000


def rest(column: str, low: object, high: object) -> bytes:
    """Return a plan request for a range, in the form of the Iceberg REST catalog."""
    left = {"type": "gt-eq", "term": column, "value": low}
    right = {"type": "lt", "term": column, "value": high}
    return json.dumps({"filter": {"type": "and", "left": left, "right": right}}).encode()


def requests(paths: list[str]) -> dict[str, Make]:
    """Return functions that make a request from a number, by name."""
    partition = "ts >= '{}' and ts < '{}' and user_id = {}"
    return {
        "W4 clustered range, plan": lambda n: plan("id >= {} and id < {}".format(*clustered(n))),
        "W4 clustered range, plan, 10 files a page": lambda n: plan(
            "id >= {} and id < {}".format(*clustered(n)), page_size=10
        ),
        "W4 clustered range, /iceberg/v1 plan": lambda n: Ask("POST", f"{REST}/plan", rest("id", *clustered(n))),
        "W7 one file by path, explained": lambda n: Ask(
            "POST",
            f"/api/v1/tables/{NAME}/explain",
            json.dumps({"filter": None, "files": [paths[n % len(paths)]]}).encode(),
        ),
        "W7 one partition's files, plan": lambda n: plan(partition.format(*day(n), 12345 + n)),
        "one day, /iceberg/v1 plan": lambda n: Ask("POST", f"{REST}/plan", rest("ts", *day(n))),
        "first page of 1,000 files": lambda n: Ask("GET", f"/api/v1/tables/{NAME}/files?page_size={1000 - n % 100}"),
    }


def timed(server: Server, make: Make, numbers: list[int]) -> dict[str, float]:
    """Measure the median and the 99th percentile of a request, and the server's CPU time, in milliseconds."""
    connection = Connection(server.port)
    connection.ask(make(numbers[0]))
    before, walls = server.cpu(), []
    for number in numbers:
        ask = make(number)
        started = time.perf_counter()
        connection.ask(ask)
        walls.append((time.perf_counter() - started) * 1000)
        if sum(walls) > MOST_MILLISECONDS:
            break
    used = (server.cpu() - before) * 1000 / len(walls)
    connection.close()
    walls.sort()
    found = {
        "p50_ms": walls[len(walls) // 2],
        "p99_ms": walls[int(len(walls) * 0.99)],
        "cpu_ms": used,
        "times": len(walls),
    }
    return {name: round(value, 2) for name, value in found.items()}


def limits(folder: Path, times: int) -> dict[str, object]:
    """Measure the endpoints of the empty app."""
    with empty(folder) as server:
        asks = {path: Ask("POST", path) for path in ("/ready", "/thread")}
        return {path: timed(server, partial(always, ask), [0] * times) for path, ask in asks.items()}


def always(ask: Ask, _: int) -> Ask:
    """Return the same request for every number."""
    return ask


def measure(table: Path, folder: Path, times: int) -> dict[str, object]:
    """Measure all requests, between two measurements of the limits."""
    results: dict[str, object] = {"limit, before": limits(folder, times)}
    with serving(folder, table.parent) as server:
        connection = Connection(server.port)
        listed = json.loads(connection.ask(Ask("GET", f"/api/v1/tables/{NAME}/files?page_size=5000")))["files"]
        connection.close()
        for name, make in requests([file["file_path"] for file in listed]).items():
            timed(server, make, list(range(28)))
            again = timed(server, make, [0] * times)
            results[name] = {"again": again, "new": timed(server, make, list(range(28, 28 + times)))}
    results["limit, after"] = limits(folder, times)
    return results


def main() -> None:
    """Measure, and print the results."""
    run("benchmarks.http_requests", __doc__, 300, measure)


if __name__ == "__main__":
    main()
