"""W3 to W7, W13 and W16 in process: warm plans, from the filter's text to the last file with residual and deletes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from benchmarks.lakes import Lake, Lakes, Shape
from benchmarks.measuring import Row, Times, alternating, timed
from benchmarks.peers import KINDS, Make, Peers
from lakemuster.planner.rows import START
from lakemuster.planner.scan.explain import explain
from lakemuster.planner.scan.selection import rows_of, survivors
from lakemuster.planner.view import CURRENT, Selector

SEED = 29
"""The first number that is measured; numbers below it are for warm-up."""
MOST_COPIED = 128 * 2**20
"""Maximum number of bytes that are copied to measure the cost of copying."""
ALL = tuple(KINDS)
"""The names of all peers."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of tables, and the numbers of runs.

    Attributes:
        files: the number of files of the big table.
        growth: the numbers of files of the tables that are compared with each other.
        few, many: the numbers of runs of plans that evaluate all files, and of other plans.
        peers: the peers to compare with.
        cold: the columns and files of W1's tables.
        far: the files and manifests of W2's table.
        paimon: the number of files of W15's tables.
        asked: the number of repetitions of each HTTP request.
        seconds: the duration of each measurement of W11.
        tables, table_files: the number of W21's tables, and of files in each.
        watched: the number of tables of two files, which are indexed and watched.
        listed: the numbers of registered tables of W18.
    """

    files: int
    growth: tuple[int, ...]
    few: int
    many: int
    peers: Peers = field(default_factory=Peers)
    cold: tuple[tuple[int, int], ...] = ((12, 1_000_000), (50, 1_000_000), (200, 1_000_000))
    far: tuple[int, int] = (1_000_000, 1_000)
    paimon: int = 200_000
    asked: int = 200
    seconds: float = 10.0
    tables: int = 10_000
    table_files: int = 1_000
    watched: int = 2_000
    listed: tuple[int, ...] = (1_000, 100_000)

    @property
    def big(self) -> Shape:
        """The shape of the big table, with a manifest per ten thousand files."""
        return self.shape_of(self.files)

    @staticmethod
    def shape_of(files: int) -> Shape:
        """Return the shape of a table with a manifest per ten thousand files."""
        return Shape(files, manifests=max(1, files // 10_000))


def day(number: int) -> str:
    """Return a filter on one day of the table's partitions."""
    first = 1 + number % 28
    return f"ts >= '2023-05-{first:02}T00:00:00+00:00' and ts < '2023-05-{first + 1:02}T00:00:00+00:00'"


def clustered(files: int) -> Make:
    """Return a function that makes filters on 500 neighbouring files by an unpartitioned column."""

    def make(number: int) -> str:
        first = files * 400 + number * 1_000_000 % (files * 600 - 499_999)
        return f"id >= {first} and id < {first + 500_000}"

    return make


def measured(lake: Lake, make: Make, runs: int, selector: Selector = CURRENT) -> tuple[Times, int]:
    """Measure plans with new values, after warm-up; return the times, and the number of files of the first."""
    return compared([(lake, make, selector)], runs)[0]


def compared(asked: Sequence[tuple[Lake, Make, Selector]], runs: int) -> list[tuple[Times, int]]:
    """Measure plans as :func:`measured` does, alternately, value by value, to compare them."""
    plans = [partial(_numbered, *one) for one in asked]
    files = [plan(0) for plan in plans]
    alternating(plans, range(1, min(SEED, runs)))
    survivors.cache_clear()
    return list(zip(alternating(plans, range(SEED, SEED + runs)), files, strict=True))


def _numbered(lake: Lake, make: Make, selector: Selector, number: int) -> int:
    return lake.files(make(number), selector)


def floor(lake: Lake, text: str | None, columns: int = 1) -> float:
    """Measure the least possible cost of a plan, in milliseconds of CPU.

    The work is to compare the bounds of ``columns`` columns, of all manifests and of the entries of manifests with a
    planned file, and to copy the plan's rows.
    """
    size, numbers = 0, set[int]()
    for batch in lake.plan(text).batches():
        size += batch.table.nbytes
        numbers.add(batch.number)
    entries = lake.shape.manifests
    entries += 0 if text is None else len(numbers) * lake.shape.files // entries
    copied = max(1, min(size, MOST_COPIED))
    source, target = np.zeros(copied, np.uint8), np.ones(copied, np.uint8)
    copying = timed(lambda _: np.copyto(target, source), range(9)).p50
    return comparing(entries) * columns + copying * size / copied


def comparing(entries: int) -> float:
    """Return the CPU milliseconds of numpy to compare two columns of ``entries`` 64-bit numbers with a value."""
    lower = np.arange(entries)
    upper = lower[::-1].copy()
    runs = max(1, 100_000 // entries)

    def compare(number: int) -> None:
        for _ in range(runs):
            np.flatnonzero((lower > number) & (upper < number))

    return timed(compare, range(9)).p50 / runs


def warm(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W3: a partition filter, a filter by bounds, both, none; with the plans of all peers."""
    files = min(sizes.files, 1_500_000)
    lake = lakes.lake(Shape(files, 23, max(1, files // 10_000)))
    cases: dict[str, tuple[Make, int, int]] = {
        "partition": (day, 1_000, min(files, 30_000)),
        "min/max": (clustered(files), 1_000, files),
        "partition and min/max": (lambda n: f"{day(n)} and price < {-900 - n % 90}", 1_000, min(files, 30_000)),
        "none": (lambda _: None, 10, files),
    }
    for case, (make, least, reads) in cases.items():
        times, kept = measured(lake, make, sizes.many if make(0) else sizes.few)
        peers = sizes.peers.beside(lake, make, reads)
        theirs = next((peer.ms for peer in peers if peer.name == "PyIceberg"), None)
        ratio = None if theirs is None else theirs / times.wall50
        figure = "" if ratio is None else f"{ratio:,.0f} ×"
        met = None if ratio is None else ratio >= least
        limit = floor(lake, make(0), 2 if case.startswith("partition and") else 1)
        yield Row("W3", case, f"≥ {least:,} × PyIceberg", figure, met, times, kept, peers, limit)


def growth(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W4: a clustered range, which has the same number of files in small and large tables."""
    asked = [(lakes.lake(sizes.shape_of(count)), clustered(count), CURRENT) for count in sizes.growth]
    before: tuple[int, Times] | None = None
    for (lake, make, _), (times, files) in zip(asked, compared(asked, sizes.many), strict=True):
        count, target, figure = lake.shape.files, "p50 ≤ 2 ms", f"{times.wall50:.2f} ms"
        met = times.wall50 <= 2
        if before is not None:
            smaller, ratio = before[0], times.p50 / before[1].p50
            figure += f", {ratio:.2f} × that of {smaller:,}"
            # The target compares 1,000,000 with 10,000,000 files, since plans of small tables take almost no time.
            if smaller >= 1_000_000:
                target, met = f"{target}; ≤ 1.5 × of a tenth", met and ratio <= 1.5
        before = count, times
        peers = sizes.peers.beside(lake, make, count, of=ALL if count <= 100_000 else ("java",))
        yield Row("W4", f"{count:,} files", target, figure, met, times, files, peers, floor(lake, make(0)))


def decided(lake: Lake, make: Make, runs: int) -> Times:
    """Measure pruning alone: from the bound predicate to the positions of the files, without their rows."""
    scan = lake.scan()
    bounds = [lake.bound(make(number)) for number in range(SEED, SEED + runs + 1)]

    def decide(number: int) -> None:
        for _ in rows_of(scan, bounds[number], None, START, None):
            pass

    decide(runs)
    survivors.cache_clear()
    return timed(decide, range(runs))


def worst(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W5: bounds that overlap everywhere, so that the planner evaluates every file and selects few."""
    lake = lakes.lake(sizes.big)
    limit = comparing(lake.shape.files)
    cases: dict[str, Make] = {
        "one value, nearly no file": lambda n: f"code = {500_000_000 + n * 1_000}",
        "a range, one file of 200": lambda n: f"price < {-990 - n % 9}",
        "wide bounds, one file of 16 (buckets)": lambda n: f"user_id = {500_000_000 + n}",
    }
    for case, make in cases.items():
        files = lake.files(make(0))
        times = decided(lake, make, sizes.few)
        each = times.p50 * 1e6 / lake.shape.files
        figure = f"{each:.1f} ns per file and column"
        # In a small table, a plan's fixed cost hides the cost per file.
        met = each <= 4 if lake.shape.files >= 1_000_000 else None
        yield Row("W5", case, "≤ 4 ns per file and column", figure, met, times, files, (), limit)
        whole, files = measured(lake, make, sizes.few)
        each = whole.p50 * 1e6 / lake.shape.files
        figure = f"{each:.1f} ns per file and column"
        peers = sizes.peers.beside(lake, make, sizes.files, of=ALL if case.startswith("one value") else ("java",))
        yield Row("W5", f"{case}, to the files", "", figure, None, whole, files, peers, limit)


def hard(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W6: many columns, branches and values, and every type, relative to W5's cost per column."""
    lake = lakes.lake(sizes.big)
    columns = ("code", "long_18", "user_id", "price", "decimal_15", "score", "url", "string_14", "shipped", "quantity")
    most = ("999000000", "999000000", "999000000", "900", "900", "499", "'b'", "'b'", "date '2024-01-15'", "15")
    every = " and ".join(f"{column} < {end}" for column, end in zip(columns, most, strict=True))

    def any_of(count: int) -> Make:
        step = 1_000_000_000 // count
        return lambda n: f"code in ({','.join(str(step * k + n) for k in range(count))})"

    cases: dict[str, tuple[Make, int]] = {
        "AND of 10 columns": (lambda n: f"{every} and quantity < {900 + n}", 10),
        "OR of 40 branches": (lambda n: " or ".join(f"code = {n + k * 24_000_000}" for k in range(40)), 1),
        "OR of 40 ANDs, of 10 columns": (lambda n: _branches(columns, n), 10),
        "IN of 200": (any_of(200), 1),
        "IN of 20,000": (any_of(20_000), 1),
        "string, 16 characters": (lambda n: f"url < 'a{n:015}'", 1),
        "decimal": (lambda n: f"decimal_15 < {-990 - n % 9}", 1),
        "double": (lambda n: f"score > {1_490 + n % 9}", 1),
        "NaN": (lambda n: f"is_nan(score) and code < {999_000_000 + n}", 2),
    }
    plain = decided(lake, lambda n: f"code = {500_000_000 + n * 1_000}", sizes.few).p50
    limit = comparing(sizes.files)
    for case, (make, of) in cases.items():
        files = lake.files(make(0))
        times = decided(lake, make, sizes.few)
        ratio = times.p50 / of / plain
        figure, peers = f"{ratio:.1f} × W5's", sizes.peers.beside(lake, make, sizes.files, of=("java",))
        yield Row("W6", case, "≤ 5 × W5's cost per column", figure, ratio <= 5, times, files, peers, limit * of)


def _branches(columns: tuple[str, ...], number: int) -> str:
    """Return OR branches that keep few files each, so that none makes the next unnecessary."""
    least = ("9", "9", "9", "-999.99", "-999.99", "-499.99", "'a000'", "'a000'", "date '2022-12-01'", "0")
    pairs = [(columns[k % 10], least[k % 10]) for k in range(40)]
    return " or ".join(f"({column} < {end} and code < {number + k})" for k, (column, end) in enumerate(pairs))


def lookups(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W7: the files of one partition, and the explanation of one file."""
    lake = lakes.lake(sizes.big)

    def make(number: int) -> str:
        return f"{day(number)} and user_id = {12_345 + number}"

    times, files = measured(lake, make, sizes.many)
    limit, peers = floor(lake, make(0), 2), sizes.peers.beside(lake, make, min(sizes.files, 60_000))
    figure = f"p99 {times.p99:.2f} ms in process"
    yield Row("W7", "one partition", "p99 ≤ 5 ms", figure, times.p99 <= 5, times, files, peers, limit)
    batch = next(lake.plan(day(3)).batches())
    paths = batch.table.column("file_path").to_pylist()[: sizes.many]
    scan, bound = lake.scan(), lake.bound(day(3))
    explain(scan, bound, paths[:1])
    times = timed(lambda n: explain(scan, bound, [paths[n % len(paths)]]), range(sizes.many))
    figure = f"p99 {times.p99:.2f} ms in process"
    yield Row("W7", "one file by path", "p99 ≤ 5 ms", figure, times.p99 <= 5, times, 1)


def deletes(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W13: the same plans on snapshots with increasing kinds of delete files."""
    files = min(sizes.files, 1_000_000)
    lake = lakes.lake(replace(sizes.shape_of(files), deletes=files // 10))
    cases: dict[str, Make] = {"one day": day, "clustered range": clustered(files), "none": lambda _: None}
    snapshots = [Selector(snapshot_id=snapshot) for snapshot in lake.snapshots()]
    kinds = ("data only", "and position deletes", "and deletion vectors", "and equality deletes")
    for case, make in cases.items():
        results = compared([(lake, make, selector) for selector in snapshots], sizes.many if make(0) else sizes.few)
        before = results[0][0].p50
        for kind, selector, (times, found) in zip(kinds, snapshots, results, strict=True):
            ratio, of = times.p50 / before, ALL if case == "one day" and files <= 100_000 else ("java",)
            reads = files * 11 // 10 if case != "one day" else files // 8
            peers = sizes.peers.beside(lake, make, reads, of=of, selector=selector)
            figure, met = f"{ratio:.2f} ×", ratio <= 2
            if any(peer.name.startswith("Iceberg Java") and peer.note.startswith("another answer") for peer in peers):
                met, figure = False, f"{figure}, another attachment than Java's"
            yield Row("W13", f"{case}, {kind}", "≤ 2 × without; identical attachment", figure, met, times, found, peers)


def small_manifests(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W16: the same files in manifests of a hundred and of ten thousand."""
    files = min(sizes.files, 1_000_000)
    large, small = lakes.lake(sizes.shape_of(files)), lakes.lake(Shape(files, manifests=files // 100))
    # Other workloads commit to the table of large manifests.
    first = Selector(snapshot_id=large.snapshots()[0])
    cases: dict[str, Make] = {
        "one day": day,
        "clustered range": clustered(files),
        "unclustered": lambda n: f"code = {500_000_000 + n * 1_000}",
        "none": lambda _: None,
    }
    for case, make in cases.items():
        runs = sizes.many if make(0) and case != "unclustered" else sizes.few
        (before, found), (times, again) = compared([(large, make, first), (small, make, CURRENT)], runs)
        if found != again:
            raise SystemExit(f"{case}: {found} files in large manifests, {again} in small ones")
        ratio = times.p50 / before.p50
        peers = sizes.peers.beside(small, make, files, of=("java",))
        figure = f"{ratio:.2f} ×"
        yield Row("W16", case, "≤ 1.5 × in manifests of 10,000", figure, ratio <= 1.5, times, found, peers)
