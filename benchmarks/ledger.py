"""Benefit of each fast path: the CPU time of this process for the same work with and without it, alternately.

``python -m benchmarks.ledger --files 50000`` prints one line for each path and workload: lines of code; the ratio of
CPU time without the path to that with it, as the median of the pairs and its interval of 95 % confidence;
milliseconds with it. Without a path, the code uses its fallback, or the simplest code with the same result. The two
runs of a pair use different values, so that neither finds cached results of the other; their results are not
compared.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import orjson
from starlette.types import Message, Scope

from benchmarks.generate import append_manifest
from benchmarks.lakes import NAME, Lake, Lakes, Shape
from benchmarks.measuring import ROOT
from lakemuster.api.app import create_app
from lakemuster.api.native.body_route import BodyRoute
from lakemuster.api.response_cache import ResponseCache
from lakemuster.catalog import listings, plan_response
from lakemuster.catalog.plan_page_cache import PageCache
from lakemuster.formats.avro import table as avro
from lakemuster.formats.iceberg import statistics as bounds
from lakemuster.index.database import Database
from lakemuster.index.snapshots import list_snapshots, snapshot_manifests
from lakemuster.ingest.work import PackedMetadata, decode_manifest
from lakemuster.planner.pruning import coded_statistics
from lakemuster.planner.pruning.coded_statistics import CodedField
from lakemuster.planner.pruning.prune import cannot
from lakemuster.planner.scan import packs
from lakemuster.wire import texts
from lakemuster.wire.row_writer import RowWriter

Run = Callable[[int], object]
_NUMBERS = itertools.count()
_HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]
ICEBERG_PLAN = "/iceberg/v1/namespaces/{}/tables/{}/plan".format(*NAME.split("."))
APP = ROOT / "app" / "lakemuster"


@dataclass(frozen=True, slots=True)
class FastPath:
    """A code path that exists only for speed.

    Attributes:
        name: the name of the path.
        sources: its files and folders below ``app/lakemuster``, whose lines of Python are counted.
        without: a context in which the path is not used.
        workloads: names of methods of :class:`Workloads`.
    """

    name: str
    sources: Sequence[str]
    without: Callable[[Workloads], AbstractContextManager[object]]
    workloads: Sequence[str]

    def lines(self) -> int:
        """Return the number of lines of Python."""
        found = [file for source in self.sources for file in ([APP / source], (APP / source).rglob("*.py"))]
        files = {path for some in found for path in some if path.is_file()}
        return sum(len(path.read_text("utf-8").splitlines()) for path in files)


def replaced(*changes: tuple[object, str, object]) -> Callable[[Workloads], AbstractContextManager[object]]:
    """Return a context in which attributes have other values."""

    @contextmanager
    def block(_: Workloads) -> Iterator[None]:
        with ExitStack() as stack:
            for owner, name, value in changes:
                stack.enter_context(mock.patch.object(owner, name, value))
            yield

    return block


def unavailable(*_: object) -> bool:
    """Return False, as ``is_available`` does where no kernel loads."""
    return False


def by_sqlalchemy(database: Database, statement: Any, parameters: Any) -> Any:
    """Return the rows as ``Database.rows`` does for PostgreSQL."""
    with database._autocommit.connect() as connection:  # noqa: SLF001 - the path's alternative
        return connection.execute(statement, parameters).all()


async def uncached(cache: ResponseCache, scope: Scope, receive: Any, send: Any) -> None:
    """Call the application as ``ResponseCache`` does, without the cache."""
    await cache._app(scope, receive, send)  # noqa: SLF001 - the wrapped application


@dataclass(frozen=True, slots=True)
class Manifest:
    """The arguments of ``decode_manifest`` for one manifest."""

    data: bytes
    header: Any
    metadata: PackedMetadata
    branch: str

    @classmethod
    def of(cls, lake: Lake) -> Manifest:
        """Return the arguments for a table's longest manifest."""
        view = lake.services.view(NAME)
        with lake.services.index.database.reading() as session:
            record = list_snapshots(session, view.table.table_id)[-1]
            one = max(snapshot_manifests(session, record.row_id), key=lambda one: one.header.length or 0)
        return cls(Path(one.header.location).read_bytes(), one.header, PackedMetadata.of(view.metadata), "")


class App:
    """The HTTP application, called in this process without a socket."""

    def __init__(self, lake: Lake) -> None:
        self._loop, self._app = asyncio.new_event_loop(), create_app(lake.services)

    def ask(self, method: str, path: str, body: bytes = b"", accept: bytes = b"application/json") -> bytes:
        """Send a request, and return the body of the response, whose status must be 200."""
        return self._loop.run_until_complete(self._ask(method, path, body, accept))

    async def _ask(self, method: str, path: str, body: bytes, accept: bytes) -> bytes:
        sent: list[Message] = []
        bodies = [body]

        async def receive() -> Message:
            if not bodies:
                await asyncio.Event().wait()  # the client stays connected
            return {"type": "http.request", "body": bodies.pop(), "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [*_HEADERS, (b"accept", accept)],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "state": {},
        }
        await self._app(scope, receive, send)
        found = b"".join(bytes(message.get("body", b"")) for message in sent[1:])
        if sent[0]["status"] != 200:
            raise SystemExit(f"{method} {path}: {sent[0]['status']} {found[:300]!r}")
        return found


class Workloads:
    """Workloads by number; a new number uses other values, so that no part of its plan is cached."""

    def __init__(self, lakes: Lakes, files: int, folder: Path) -> None:
        self._folder = folder
        self._lake = lakes.lake(Shape(files, manifests=max(1, files // 5000), use="ledger"))
        self._manifest = Manifest.of(self._lake)
        self._few = Manifest.of(lakes.lake(Shape(2000, manifests=5, use="ledger-few")))
        self._wide = Manifest.of(lakes.lake(Shape(1000, columns=200, manifests=2, use="ledger-wide")))
        self.app, self._files = App(self._lake), files
        self._paths = sorted(line.partition("\t")[0] for line in self._lake.answer("id < 5000000"))

    def _decode(self, one: Manifest) -> object:
        written = decode_manifest(one.data, one.header, one.metadata, one.branch, str(self._folder / "segment"))
        return written.rows, written.size

    def index(self, _: int) -> object:
        """Run W1: a manifest of 5,000 files × 20 columns to a segment."""
        return self._decode(self._manifest)

    def index_few(self, _: int) -> object:
        """Run W1: a manifest of 400 files × 20 columns to a segment."""
        return self._decode(self._few)

    def index_wide(self, _: int) -> object:
        """Run W1: a manifest of 500 files × 200 columns to a segment."""
        return self._decode(self._wide)

    def in_200(self, number: int) -> object:
        """Run W6: a plan of IN with 200 values."""
        return self._lake.files(f"code in ({', '.join(str(number + 5_000_000 * of) for of in range(200))})")

    def in_20000(self, number: int) -> object:
        """Run W6: a plan of IN with 20,000 values."""
        return self._lake.files(f"code in ({', '.join(str(number + 50_000 * of) for of in range(20_000))})")

    def or_40(self, number: int) -> object:
        """Run W6: a plan of 40 alternatives."""
        return self._lake.files(" or ".join(f"code = {number + 24_000_000 * of}" for of in range(40)))

    def unclustered(self, number: int) -> object:
        """Run W5: a plan of a range of unclustered values."""
        return self._lake.files(f"price < {-900 - number / 16}")

    def _page(self, number: int, size: int) -> bytes:
        first = 7919 * number % (self._files * 500) + number
        body = orjson.dumps({"filter": f"id >= {first} and id < {first + 500_000}", "page_size": size})
        return self.app.ask("POST", f"/api/v1/tables/{NAME}/plan", body=body)

    def page_10(self, number: int) -> object:
        """Run W4: a page of 10 files of a new plan, through the application."""
        return len(self._page(number, 10)) > 0

    def page_1000(self, number: int) -> object:
        """Run W4: a page of 1,000 files of a new plan."""
        return len(self._page(number, 1000)) > 0

    def again(self, _: int) -> object:
        """Run W4: a repeated request."""
        return self._page(0, 1000)

    def iceberg_plan(self, number: int) -> object:
        """Run W4: a new plan of some 40 files over the Iceberg protocol."""
        first = 7919 * number % (self._files * 500) + number
        ends = (("gt-eq", first), ("lt", first + 20_000))
        left, right = ({"type": operator, "term": "id", "value": value} for operator, value in ends)
        body = orjson.dumps({"filter": {"type": "and", "left": left, "right": right}})
        return self.app.ask("POST", ICEBERG_PLAN, body=body)

    def explain(self, number: int) -> object:
        """Run W7: an explanation of a file by its path."""
        body = orjson.dumps({"filter": None, "files": [self._paths[number % len(self._paths)]]})
        return self.app.ask("POST", f"/api/v1/tables/{NAME}/explain", body=body)

    def lines(self, _: int) -> object:
        """Run W8: all files of a list as NDJSON."""
        return self.app.ask("GET", f"/api/v1/tables/{NAME}/files", accept=b"application/x-ndjson")

    def after_a_commit(self, _: int) -> object:
        """Run W11: first pages of 20 known plans, after a commit."""
        return [self._page(number, 1000) for number in range(20)]

    def prepare(self, name: str) -> None:
        """Prepare a run, unmeasured."""
        if name == "after_a_commit":
            append_manifest(self._lake.root, files=10)
            self._lake.services.refresh(NAME)


@dataclass(frozen=True, slots=True)
class Found:
    """The ratios of the pairs, sorted, and the median milliseconds with the path."""

    ratios: Sequence[float]
    milliseconds: float

    def shown(self) -> str:
        """Return the median and its interval, as text."""
        edge = max(0, int(len(self.ratios) / 2 - 0.98 * len(self.ratios) ** 0.5) - 1)
        low, high = self.ratios[edge], self.ratios[-1 - edge]
        return f"{statistics.median(self.ratios):.2f} × ({low:.2f}–{high:.2f})"


def compare(
    run: Run, without: Callable[[], AbstractContextManager[object]], prepare: Callable[[], None], pairs: int
) -> Found:
    """Measure pairs of runs, in which the run with the path is first in every other pair."""
    times: list[tuple[float, float]] = []
    for pair in range(-2, pairs):
        spent = [0.0, 0.0]
        for turn in (0, 1) if pair % 2 else (1, 0):
            prepare()
            with without() if turn else ExitStack():
                started = time.process_time()
                run(next(_NUMBERS))
                spent[turn] = time.process_time() - started
        if pair >= 0:
            times.append((spent[0], spent[1]))
    return Found(sorted(off / on for on, off in times), 1000 * statistics.median(on for on, _ in times))


PATHS = (
    FastPath("Avro kernel", ["formats/avro/native"], replaced((avro, "is_available", unavailable)), ["index_few"]),
    FastPath(
        "Avro kernel: maps to columns",
        ["formats/avro/native/keyed.py", "formats/avro/native/kernel_keyed.py"],
        replaced((avro, "can_be_keyed", lambda *_: ())),
        ["index", "index_wide"],
    ),
    FastPath(
        "bounds kernel",
        ["formats/iceberg/native"],
        replaced((bounds, "is_available", unavailable)),
        ["index", "index_wide"],
    ),
    FastPath(
        "search kernel",
        ["planner/pruning/native"],
        replaced((coded_statistics, "any_between", lambda *_: None)),
        ["in_200", "in_20000"],
    ),
    FastPath(
        "bound codes",
        ["planner/pruning/bound_codes.py", "planner/pruning/coded_statistics.py"],
        replaced((CodedField, "cannot", lambda field, leaf: cannot(leaf, field.bounds(None), field.rows))),
        ["unclustered", "in_200"],
    ),
    FastPath(
        "OR to IN",
        ["planner/pruning/or_to_in.py"],
        replaced((packs, "or_to_in", lambda bound, _: bound)),
        ["or_40"],
    ),
    FastPath(
        "JSON kernel",
        ["wire/json_kernel", "wire/row_writer.py"],
        replaced((texts, "is_available", unavailable), (RowWriter, "is_available", staticmethod(unavailable))),
        ["page_1000", "lines"],
    ),
    FastPath(
        "row writers",
        ["wire/row_writer.py", "catalog/page_writers.py"],
        replaced((plan_response, "writers_of", lambda *_: []), (listings, "list_writer", lambda *_, **__: None)),
        ["page_1000", "lines"],
    ),
    FastPath(
        "body route",
        ["api/native/body_route.py"],
        replaced((BodyRoute, "is_plain", lambda *_: False)),
        ["page_10", "explain", "iceberg_plan"],
    ),
    FastPath(
        "raw SQLite",
        ["index/raw_sql.py"],
        replaced((Database, "rows", by_sqlalchemy), (Database, "rows_nowait", by_sqlalchemy)),
        ["again", "page_10"],
    ),
    FastPath("response cache", ["api/response_cache.py"], replaced((ResponseCache, "__call__", uncached)), ["again"]),
    FastPath(
        "plan page cache",
        ["catalog/plan_page_cache.py"],
        replaced((PageCache, "find", lambda *_: None)),
        ["after_a_commit"],
    ),
)


def main() -> None:
    """Measure, and print a line for each path and workload when it is done."""
    parser = argparse.ArgumentParser(prog="benchmarks.ledger", description=__doc__)
    parser.add_argument("paths", nargs="*", help="names of paths; all of them when left out")
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--folder", default="build/benchmarks", help="of tables and indexes")
    given = parser.parse_args()
    lakes = Lakes(Path(given.folder).absolute())
    with tempfile.TemporaryDirectory() as scratch:
        workloads = Workloads(lakes, given.files, Path(scratch))
        for path in PATHS:
            for name in path.workloads if not given.paths or path.name in given.paths else ():
                found = compare(
                    getattr(workloads, name),
                    partial(path.without, workloads),
                    partial(workloads.prepare, name),
                    given.pairs,
                )
                cells = [path.name, str(path.lines()), name, f"{found.milliseconds:.2f} ms", found.shown()]
                sys.stdout.write(f"| {' | '.join(cells)} |\n")
                sys.stdout.flush()
    lakes.close()


if __name__ == "__main__":
    main()
