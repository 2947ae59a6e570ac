"""Peers that plan the same predicates on the same table: PyIceberg, Iceberg's Java library, DuckDB.

A peer's figure is used only if its plan equals ours: the same set of data files, each with the same delete files. The
class of each peer documents what its figure measures.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.expressions import AlwaysTrue, BooleanExpression
from pyiceberg.expressions.parser import parse
from pyiceberg.io.pyarrow import schema_to_pyarrow

from benchmarks.lakes import Lake, line_of
from benchmarks.measuring import Peer
from lakemuster.planner.view import CURRENT, Selector

ROOT = Path(__file__).parents[1]
MOST_STAND_INS = 20_000
Make = Callable[[int], str | None]


class NotObtained(Exception):
    """A peer is not available here; the message states the reason."""


class OtherAnswer(Exception):
    """A peer's plan differs from ours; the message states the difference."""


def expression(text: str | None) -> BooleanExpression | None:
    """Return a filter as PyIceberg's expression."""
    if text is None:
        return None
    return parse(re.sub(r"is_nan\((\w+)\)", r"\1 is nan", text.replace("date '", "'")))


class Planner(ABC):
    """A peer.

    Attributes:
        name: the name of its figures.
        rate: an estimate of the entries that it reads per second, to omit plans that would take too long.
        prunes: whether it skips manifests by partition.
        offsets: whether its plans contain the offsets of deletion vectors.
    """

    name: str
    rate: int
    prunes: bool = True
    offsets: bool = True

    @abstractmethod
    def answer(self, lake: Lake, text: str | None, selector: Selector, ours: set[str]) -> set[str]:
        """Return the lines of the peer's plan, in the form of :func:`line_of`."""

    @abstractmethod
    def plans(self, lake: Lake, texts: Sequence[str | None], selector: Selector) -> Iterator[Peer]:
        """Yield the peer's figures for similar filters, after :meth:`answer` for the first."""

    def close(self) -> None:
        """Release the resources."""
        return


class PyIceberg(Planner):
    """PyIceberg's ``plan_files``, from the expression to the tasks; measured once, since it caches no manifests.

    Its plans do not contain the offsets of deletion vectors.
    """

    name = "PyIceberg"
    rate = 9_000
    offsets = False

    def __init__(self) -> None:
        self._taken = 0.0

    def answer(self, lake: Lake, text: str | None, selector: Selector, ours: set[str]) -> set[str]:
        """Measure a plan, and return its lines."""
        loaded, given = lake.pyiceberg(), expression(text) or AlwaysTrue()
        started = time.perf_counter()
        try:
            tasks = list(loaded.scan(given, snapshot_id=selector.snapshot_id).plan_files())
        except ValueError as problem:
            raise OtherAnswer(str(problem).split(":")[0]) from problem
        self._taken = (time.perf_counter() - started) * 1000
        return {line_of(task.file.file_path, [(one.file_path, None) for one in task.delete_files]) for task in tasks}

    def plans(self, lake: Lake, texts: Sequence[str | None], selector: Selector) -> Iterator[Peer]:
        """Yield the figure of the plan that :meth:`answer` measured."""
        yield Peer(self.name, self._taken)


class Lines:
    """A process whose requests and responses are lines of JSON."""

    def __init__(self, words: Sequence[str | Path]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPARK_"))}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._log}
        self._process = subprocess.Popen(words, text=True, env=clean | {"TZ": "UTC"}, **pipes)

    def ask(self, **question: object) -> dict[str, Any]:
        """Send a request, and return the response; :class:`OtherAnswer` with the process's error."""
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._log.seek(0)
            raise NotObtained(self._log.read()[-500:].decode(errors="replace").strip())
        said: dict[str, Any] = json.loads(line)
        if "error" in said:
            raise OtherAnswer(said["error"])
        return said

    def close(self) -> None:
        """Stop the process by closing its input; kill it after a minute."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class Java(Planner):
    """Iceberg's Java library for Spark: ``planFiles`` to its last task, with a warm manifest cache.

    Figures are medians over new filters, with the caller's thread alone and with a thread pool of all processors.

    Args:
        warm_seconds: duration of the warm-up plans before the first figure, and before each later one.
    """

    name = "Iceberg Java"
    rate = 50_000

    def __init__(self, heap: str = "8g", warm_seconds: tuple[int, int] = (6, 2)) -> None:
        python = built("requirements-spark.lock")
        jar = output([sys.executable, "-I", ROOT / "scripts" / "jars.py", ROOT / "requirements-spark.jars"])
        of_spark = output([python, "-I", "-c", "import pyspark; print(pyspark.__path__[0])"])
        options = [f"-Xmx{heap}", "-Diceberg.scan.plan-in-worker-pool=false", "-Duser.timezone=UTC"]
        source = ROOT / "benchmarks" / "java" / "IcebergPlans.java"
        self._taken = 0.0
        self._warming, self._warming_later = warm_seconds
        self._java = Lines(["java", *options, "-cp", f"{jar}{os.pathsep}{of_spark}/jars/*", source])

    def answer(self, lake: Lake, text: str | None, selector: Selector, ours: set[str]) -> set[str]:
        """Write a plan to a file, which warms the cache, and return its lines."""
        with tempfile.TemporaryDirectory() as scratch:
            target, started = Path(scratch, "answer"), time.perf_counter()
            self._java.ask(**_asked(lake, [text], selector), threads=1, answer=str(target))
            self._taken = time.perf_counter() - started
            return set(target.read_text().splitlines())

    def plans(self, lake: Lake, texts: Sequence[str | None], selector: Selector) -> Iterator[Peer]:
        """Yield figures with one thread and with a pool, each after warm-up; for one filter if plans take over 2 s."""
        asked = _asked(lake, texts[-1:] if self._taken > 2 else texts, selector)
        for threads in dict.fromkeys((1, os.cpu_count() or 1)):
            said = self._java.ask(**asked, threads=threads, warm_seconds=self._warming)
            self._warming = self._warming_later
            median = statistics.median(plan["ms"] for plan in said["plans"])
            yield Peer(f"{self.name}, {threads} thread{'s' * (threads > 1)}", median)

    def close(self) -> None:
        """Stop the JVM."""
        self._java.close()


class DuckDB(Planner):
    """DuckDB's ``EXPLAIN ANALYZE`` of one column: its plan, and opening the files, which are empty stand-ins.

    It is measured once. Without a filter, it is ``EXPLAIN``, which opens no files. A filter that keeps very many files
    has no figure. DuckDB reads all manifests.
    """

    name = "DuckDB"
    rate = 12_000
    prunes = False

    def __init__(self) -> None:
        self._duckdb = Lines([built("requirements-duckdb.lock"), "-I", ROOT / "benchmarks" / "duckdb_plans.py"])
        self._peer = Peer(self.name)

    def answer(self, lake: Lake, text: str | None, selector: Selector, ours: set[str]) -> set[str]:
        """Measure a plan, and return its lines. Files outside our plan do not exist, so opening them fails."""
        if selector != CURRENT or any("\t" in line for line in ours):
            raise OtherAnswer("it reads delete files, and there are none")
        where = None if text is None else text.replace("is_nan(", "isnan(")
        read = text is not None and len(ours) <= MOST_STAND_INS
        if text is not None and not read:
            raise OtherAnswer("it opens all files that it keeps")
        with stand_ins(lake, ours if read else set()):
            said = self._duckdb.ask(metadata=str(lake.metadata), where=where, read=read)
        self._peer = Peer(f"{self.name}, {'with' if read else 'without'} opening files", said["ms"])
        return set(said["files"])

    def plans(self, lake: Lake, texts: Sequence[str | None], selector: Selector) -> Iterator[Peer]:
        """Yield the figure of the plan that :meth:`answer` measured."""
        yield self._peer

    def close(self) -> None:
        """Stop the process."""
        self._duckdb.close()


def _asked(lake: Lake, texts: Sequence[str | None], selector: Selector) -> dict[str, object]:
    of = {field.name: str(field.field_type) for field in lake.pyiceberg().schema().fields}

    def typed(node: Any) -> Any:
        """Convert decimal fractions to numbers: PyIceberg's JSON has text, which Iceberg does not read as doubles."""
        if isinstance(node, dict):
            known = of.get(node["term"]) if isinstance(node.get("term"), str) else None
            if known in ("float", "double") and isinstance(node.get("value"), str):
                return {**node, "value": float(node["value"])}
            return {key: typed(value) for key, value in node.items()}
        return node

    filters = [
        None if (one := expression(text)) is None else typed(json.loads(one.model_dump_json())) for text in texts
    ]
    return {"metadata": str(lake.metadata), "snapshot": selector.snapshot_id, "filters": filters}


@contextlib.contextmanager
def stand_ins(lake: Lake, paths: set[str]) -> Iterator[None]:
    """Create empty data files at some locations, and remove them on exit."""
    folder, made = lake.root / "data", [Path(path) for path in paths]
    if folder.exists():
        raise OtherAnswer(f"{folder} is there already")
    with tempfile.TemporaryDirectory() as scratch:
        empty = Path(scratch, "empty.parquet")
        pq.write_table(schema_to_pyarrow(lake.pyiceberg().schema()).empty_table(), empty)
        try:
            for path in made:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.symlink_to(empty)
            yield
        finally:
            for path in made:
                path.unlink(missing_ok=True)
            for below in sorted({parent for path in made for parent in path.parents}, reverse=True):
                if below.is_relative_to(folder) and below.is_dir():
                    below.rmdir()


def same(theirs: set[str], ours: set[str], *, offsets: bool) -> None:
    """Raise OtherAnswer if two plans differ."""
    if not offsets:
        ours = {re.sub(r"#\d+(?=\t|$)", "", line) for line in ours}
    if theirs != ours:
        raise OtherAnswer(f"{len(theirs - ours):,} files more and {len(ours - theirs):,} fewer than ours")


def output(words: Sequence[str | Path]) -> str:
    """Run a program, and return its output; NotObtained if it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotObtained(done.stderr.strip()[-500:])
    return done.stdout.strip()


def built(lock: str) -> str:
    """Return the Python of a lock's environment, built if missing."""
    return output(["sh", ROOT / "scripts" / "environment.sh", ROOT / lock])


KINDS: dict[str, Callable[[], Planner]] = {"pyiceberg": PyIceberg, "java": Java, "duckdb": DuckDB}


class Peers:
    """The peers of a run, each started on first use; one that cannot be started is reported as missing.

    Args:
        names: keys of :data:`KINDS`.
        seconds: time limit of a plan, estimated by its peer's rate; longer plans are omitted.
    """

    def __init__(self, names: Sequence[str] = (), seconds: float = 60.0) -> None:
        self._names, self._seconds = names, seconds
        self._open: dict[str, Planner] = {}
        self._missing: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._names)

    def close(self) -> None:
        """Release the resources."""
        for planner in self._open.values():
            planner.close()
        self._open.clear()

    def beside(
        self, lake: Lake, make: Make, reads: int, *, of: Sequence[str] = tuple(KINDS), selector: Selector = CURRENT
    ) -> list[Peer]:
        """Return the peers' figures; a peer whose plan differs from ours gets a note instead.

        Args:
            make: filters by number.
            reads: entries of the manifests that remain after pruning by partitions.
            of: the peers to run, if they are in this run.
        """
        asked, found = [name for name in self._names if name in of], list[Peer]()
        ours = lake.answer(make(0), selector) if asked else set()
        for name in asked:
            try:
                planner = self._planner(name)
                entries = reads if planner.prunes else lake.shape.files
                if entries / planner.rate > self._seconds:
                    found.append(Peer(planner.name, None, f"left out: more than {self._seconds:.0f} s"))
                    continue
                same(planner.answer(lake, make(0), selector, ours), ours, offsets=planner.offsets)
                found += planner.plans(lake, [make(number) for number in range(5)], selector)
            except OtherAnswer as problem:
                found.append(Peer(self._open[name].name, None, f"another answer: {str(problem)[:150]}"))
            except NotObtained as problem:
                self._missing[name] = str(problem)
                found.append(Peer(name, None, f"not to be had: {str(problem)[:100]}"))
        return found

    def _planner(self, name: str) -> Planner:
        if name in self._missing:
            raise NotObtained(self._missing[name])
        if name not in self._open:
            self._open[name] = KINDS[name]()
        return self._open[name]
