"""W12, a restart with a warm index on disk: the latency of the first responses.

``python -m benchmarks.http_restart --table T --index I`` starts the server repeatedly, and prints one JSON object:
seconds until it is ready, milliseconds of the first, second and third plan after that, and the number of the lake's
objects that the server had read by then, from its metrics, which must be zero.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from time import perf_counter

from benchmarks.http_requests import clustered
from benchmarks.http_server import Ask, Connection, plan, run, serving


def measure(table: Path, folder: Path, times: int) -> dict[str, object]:
    """Restart the server, and time its first plans."""
    ready: list[float] = []
    answers: list[list[float]] = [[], [], []]
    fetched: set[float] = set()
    for number in range(times):
        with serving(folder, table.parent) as server:
            ready.append(server.ready_seconds)
            connection = Connection(server.port)
            for at, walls in enumerate(answers):
                started = perf_counter()
                connection.ask(plan("id >= {} and id < {}".format(*clustered(3 * number + at))))
                walls.append((perf_counter() - started) * 1000)
            text = connection.ask(Ask("GET", "/metrics")).decode()
            reads = 'lakemuster_storage_operations_total{kind="read"'
            fetched.add(sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(reads)))
            connection.close()
    names = ("first_answer_ms", "second_answer_ms", "third_answer_ms")
    return {
        "starts": times,
        "ready_s": round(statistics.median(ready), 2),
        **{name: round(statistics.median(walls), 1) for name, walls in zip(names, answers, strict=True)},
        "slowest_first_answer_ms": round(max(answers[0]), 1),
        "objects_read": sorted(fetched),
    }


def main() -> None:
    """Measure, and print the results."""
    run("benchmarks.http_restart", __doc__, 5, measure)


if __name__ == "__main__":
    main()
