"""W17, an attached catalog: the cost of forwarded requests, of plans of its tables, and of listing it.

``python -m benchmarks.http_sidecar --table T --index I`` prints one JSON object. The catalog responds with constant
bytes (``upstream_catalog``). Requests to it and through the server alternate, as do plans of the catalog's table and
of the same table in the server's own catalog. Threads of one process read pointers, as looks do.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks.http_requests import REST, always, clustered, day, rest
from benchmarks.http_server import HOST, Ask, Connection, Server, process, run, serving
from lakemuster.catalog_settings import CatalogSettings
from lakemuster.upstream.rest import RestCatalog

CATALOG = "prod"
TABLE = "/v1/namespaces/b/tables/t"
LARGE_PARTS = 1024
"""Number of parts of 64 KiB."""
TABLES, DELAY_SECONDS, LOOKING = 5_000, 0.01, 16
Make = Callable[[int], Ask]


@contextmanager
def upstream(folder: Path, table: Path, tables: int = 1, delay_seconds: float = 0.0) -> Iterator[Server]:
    """Run the catalog, whose tables all have the newest metadata of ``table``."""
    newest = max((table / "metadata").glob("*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
    words = [sys.executable, "-m", "uvicorn", "benchmarks.upstream_catalog:app", "--no-access-log"]
    settings = {
        "UPSTREAM_METADATA": str(newest),
        "UPSTREAM_TABLES": str(tables),
        "UPSTREAM_DELAY": str(delay_seconds),
    }
    with process(words, folder, settings, "/v1/config") as server:
        yield server


@contextmanager
def relay(folder: Path, port: int) -> Iterator[Server]:
    """Run a relay of bytes to a port."""
    words = [sys.executable, "-m", "benchmarks.byte_relay"]
    with process(words, folder, {"RELAY_TO": str(port)}, "/v1/config") as server:
        yield server


def attached(port: int) -> str:
    """Return the setting ``CATALOGS`` that attaches the catalog."""
    return json.dumps({CATALOG: {"type": "rest", "uri": f"http://{HOST}:{port}"}})


def in_turn(makes: Mapping[str, tuple[Connection, Make]], times: int) -> dict[str, float]:
    """Send requests alternately, and return their median milliseconds."""
    walls: dict[str, list[float]] = {name: [] for name in makes}
    for number in range(-5, times):
        for name, (connection, make) in makes.items():
            ask = make(number)
            started = time.perf_counter()
            connection.ask(ask)
            if number >= 0:
                walls[name].append((time.perf_counter() - started) * 1000)
    return {name: round(statistics.median(found), 2) for name, found in walls.items()}


def _passing(port: int, catalog_port: int, times: int) -> Iterator[tuple[str, object]]:
    ours, theirs = Connection(port), Connection(catalog_port)
    for name, method, body in (("load a table", "GET", b""), ("commit", "POST", b"{}" * 500)):
        at, through = Ask(method, TABLE, body), Ask(method, TABLE.replace("/v1/", f"/iceberg/v1/{CATALOG}/"), body)
        makes = {"upstream": (theirs, partial(always, at)), "through": (ours, partial(always, through))}
        yield name, in_turn(makes, times)


def _large(port: int, catalog_port: int, relay_port: int, times: int) -> dict[str, object]:
    """Return the median MB/s of alternating large bodies, and the interval of the ratio (bootstrap, 95 %)."""
    path = f"large/{LARGE_PARTS}"
    asks = {
        "upstream": (catalog_port, Ask("GET", f"/v1/{path}")),
        "through": (port, Ask("GET", f"/iceberg/v1/{CATALOG}/{path}")),
        "relay": (relay_port, Ask("GET", f"/v1/{path}")),
    }
    rates: dict[str, list[float]] = {name: [] for name in asks}
    for _ in range(max(5, times // 4)):
        for name, (asked, ask) in asks.items():
            # Servers close a connection that is idle for 5 s, which can happen between two requests on a busy machine.
            connection = Connection(asked)
            started = time.perf_counter()
            size = len(connection.ask(ask))
            rates[name].append(size / (time.perf_counter() - started) / 1e6)
            connection.close()
    medians: dict[str, object] = {name: round(statistics.median(found)) for name, found in rates.items()}
    return medians | {"ratio": interval(rates["through"], rates["upstream"])}


def interval(some: list[float], others: list[float]) -> list[float]:
    """Return the bootstrap interval (95 %) of the ratio of two medians."""
    chosen = random.Random(0)

    def drawn(of: list[float]) -> float:
        return statistics.median(chosen.choices(of, k=len(of)))

    ratios = sorted(drawn(some) / drawn(others) for _ in range(2_000))
    return [round(ratios[50], 2), round(ratios[-51], 2)]


def _plans(port: int, times: int) -> Iterator[tuple[str, object]]:
    own, of_catalog = Connection(port), Connection(port)
    prefixed = REST.replace("/iceberg/v1/", f"/iceberg/v1/{CATALOG}/")
    ends: dict[str, tuple[str, Callable[[int], tuple[object, object]]]] = {
        "W4 clustered range": ("id", clustered),
        "W7 one day": ("ts", day),
    }
    for name, (column, range_of) in ends.items():
        for kind, number_of in (("again", lambda _: 0), ("new", lambda n: n + 100)):

            def asked(n: int, path: str, of: Callable[[int], int] = number_of) -> Ask:
                return Ask("POST", f"{path}/plan", rest(column, *range_of(of(n))))  # noqa: B023 - called at once

            makes = {"own": (own, partial(asked, path=REST)), "attached": (of_catalog, partial(asked, path=prefixed))}
            yield f"{name}, {kind}", in_turn(makes, times)


def _listing(folder: Path, table: Path) -> Iterator[tuple[str, object]]:
    scratch = folder / "listing"
    scratch.mkdir(exist_ok=True)
    with (
        upstream(scratch, table, TABLES, DELAY_SECONDS) as catalog,
        serving(scratch, table.parent, catalogs=attached(catalog.port)) as server,
    ):
        connection = Connection(server.port)
        found = json.loads(connection.ask(Ask("POST", f"/api/v1/catalogs/{CATALOG}/sync")))
        connection.close()
        asked = RestCatalog(CATALOG, CatalogSettings(type="rest", uri=f"http://{HOST}:{catalog.port}"))
        started = time.perf_counter()
        with ThreadPoolExecutor(LOOKING) as threads:
            pointers = list(threads.map(asked.pointer, asked.every_table()))
        yield (
            "listing",
            {
                "tables": found["tables"],
                "listed_s": found["seconds"],
                "pointers": len(pointers),
                "pointers_s": round(time.perf_counter() - started, 1),
            },
        )
        asked.close()


def measure(table: Path, folder: Path, times: int) -> dict[str, object]:
    """Run all measurements."""
    results: dict[str, object] = {"load": round(os.getloadavg()[0], 1)}
    with (
        upstream(folder, table) as catalog,
        serving(folder, table.parent, catalogs=attached(catalog.port)) as server,
        relay(folder, catalog.port) as relayed,
    ):
        results |= dict(_passing(server.port, catalog.port, times))
        results["large answer, MB/s"] = _large(server.port, catalog.port, relayed.port, times)
        results |= dict(_plans(server.port, times))
    results |= dict(_listing(folder, table))
    return results


def main() -> None:
    """Measure, and print the results."""
    run("benchmarks.http_sidecar", __doc__, 300, measure)


if __name__ == "__main__":
    main()
