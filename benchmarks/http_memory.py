"""W14 over HTTP: the memory of a server with one big table, while 32 clients plan and list.

``python -m benchmarks.http_memory --table T --index I`` prints one JSON object of sizes in bytes: the peak anonymous
memory of the server and its children, and their resident memory, when ready and in each phase; the size of the
caches, and their budget, from the server's metrics.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.http_load import CLIENTS, Make, load, mixed
from benchmarks.http_server import NAME, Ask, Connection, Server, arguments, plan, prepared, serving

SAMPLE_SECONDS = 0.2
MEMORY_BYTES = 2 * 2**30
"""The budget of the caches: the default of a machine of 16 GiB."""


def unselective(number: int) -> Ask:
    """Return a request for a page of a plan that keeps half of the files."""
    return plan(f"user_id > {5_000 + number}", page_size=1_000)


def page(number: int) -> Ask:
    """Return a request for a page of files with a filter that is new for each number."""
    return Ask("GET", f"/api/v1/tables/{NAME}/files?page_size=1000&filter=price%20%3E%20{number}")


PHASES: dict[str, Make] = {"selective": mixed, "unselective": unselective, "files": page}


@contextmanager
def sampled(server: Server) -> Iterator[dict[str, int]]:
    """Yield a dictionary that gets the peak anonymous and resident memory of the block at its end."""
    found = {"anonymous": 0, "resident": 0}
    done = threading.Event()

    def sample() -> None:
        while not done.wait(SAMPLE_SECONDS):
            found["anonymous"] = max(found["anonymous"], server.anonymous_bytes())
            found["resident"] = max(found["resident"], server.resident_bytes())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()


def measure(table: Path, folder: Path, seconds: float) -> dict[str, object]:
    """Measure the phases of one server, one after another."""
    with serving(folder, table.parent, memory_bytes=MEMORY_BYTES) as server:
        results: dict[str, object] = {"ready": server.anonymous_bytes(), "budget": MEMORY_BYTES}
        for name, make in PHASES.items():
            with sampled(server) as memory:
                asked = load(server.port, CLIENTS, seconds, make).figures()
            results[name] = {**memory, "requests": asked["requests"], "failed": asked["failed"]}
        text = Connection(server.port).ask(Ask("GET", "/metrics")).decode()
        results["caches"] = int(sum(map(float, re.findall(r"(?m)^lakemuster_cache_bytes\{[^}]*\} (\S+)$", text))))
    return results


def main() -> None:
    """Measure, and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.http_memory", description=__doc__)
    arguments(parser)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase; at most a minute")
    given = parser.parse_args()
    with prepared(given) as (table, folder):
        results = measure(table, folder, min(given.seconds, 60.0))
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
