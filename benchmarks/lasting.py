"""W9, W10 and W14 in process: a commit to a big table, sequential plan tasks, memory after other workloads."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

from benchmarks.generate import append_manifest
from benchmarks.lakes import NAME, Lake, Lakes
from benchmarks.measuring import Peer, Row, timed, together
from benchmarks.planning import Sizes, clustered, floor, hard, warm, worst
from lakemuster.planner.scan import packs
from lakemuster.planner.scan.tasks import cut, part

FASTER = 100
"""The factor by which a refresh must be faster than a full plan of PyIceberg."""


class Looked:
    """A context that counts the entries on which packs evaluate predicates."""

    def __init__(self) -> None:
        self.entries = 0
        self._asked = packs.PackPredicate.matching

    def __enter__(self) -> Self:
        asked, looked = self._asked, self

        def kept(self: packs.PackPredicate, pack: packs.Pack, spans: Sequence[slice] | None) -> packs.RowNumbers:
            looked.entries += pack.rows if spans is None else sum(span.stop - span.start for span in spans)
            return asked(self, pack, spans)

        packs.PackPredicate.matching = kept  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        packs.PackPredicate.matching = self._asked  # type: ignore[method-assign]


def refresh(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W9: a commit of one manifest of a thousand files, and the first plan of the new snapshot."""
    lake = lakes.lake(sizes.big)
    counts = lake.services.store.counts

    def commit(_: int) -> None:
        report = lake.services.refresh(NAME)
        if report.manifests_fetched != 1:
            raise SystemExit(f"{report.manifests_fetched} manifests were read of one that is new")

    commits, plans = [], []
    for number in range(max(5, sizes.few // 2)):
        append_manifest(lake.root, files=1_000)
        before = counts.reads
        commits.append(timed(commit, [number]))
        reads = counts.reads - before
        plans.append(timed(lambda n: lake.files(clustered(sizes.files)(n)), [number]))
    times, first = together(commits), together(plans)
    peers = [least_of_pyiceberg(lake, times.wall50 * FASTER)] if sizes.peers else []
    ratio = None if not peers or peers[0].ms is None else peers[0].ms / times.wall50
    met = None if ratio is None else reads <= 4 and ratio >= FASTER
    figure = f"{reads} reads" + ("" if ratio is None else f", at least {ratio:,.0f} ×")
    target = f"the new manifest only; ≥ {FASTER} × a full plan of PyIceberg"
    yield Row("W9", "refresh", target, figure, met, times, 1_000, peers)
    limit = floor(lake, clustered(sizes.files)(0))
    yield Row("W9", "the first plan of the new snapshot", "", "", None, first, 500, (), limit)


def least_of_pyiceberg(lake: Lake, enough_ms: float) -> Peer:
    """Return a lower bound of the time of PyIceberg's full plan: read its manifests until that takes ``enough_ms``."""
    loaded = lake.pyiceberg()
    snapshot = loaded.current_snapshot()
    assert snapshot is not None
    manifests, read, taken = snapshot.manifests(loaded.io), 0, 0.0
    started = time.perf_counter()
    for manifest in sorted(manifests, key=lambda one: one.manifest_length, reverse=True):
        manifest.fetch_manifest_entry(loaded.io)
        read, taken = read + 1, (time.perf_counter() - started) * 1000
        if taken > enough_ms:
            break
    return Peer("PyIceberg, a part of its full plan", taken, f"reading {read:,} of {len(manifests):,} manifests")


def tasks(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W10: the tasks of an unselective plan, fetched one after another."""
    lake = lakes.lake(sizes.big)
    each = max(10, sizes.files // 100_000)
    text = "user_id > 5000"
    found: list[int] = []
    with Looked() as looked:
        plan = lake.plan(text)
        keys = list(cut(plan, each))
        times = timed(lambda n: found.append(sum(len(b.rows) for b in part(plan, keys[n]).batches())), range(len(keys)))
    whole = sum(len(batch.rows) for batch in plan.batches())
    if sum(found) != whole:
        raise SystemExit(f"{whole} files in the plan, {sum(found)} in its tasks")
    passes = looked.entries / lake.shape.files
    figure = f"{passes:.2f} passes over the entries for {len(keys):,} tasks"
    yield Row("W10", f"{len(keys):,} tasks", "one planning pass in all", figure, passes <= 1.1, times, whole)


def memory(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W14: the memory of this process after W3, W5 and W6; to be run in its own process."""
    for run in (warm, worst, hard):
        for _ in run(lakes, Sizes(sizes.files, sizes.growth, 3, 5)):
            pass
    status = Path("/proc/self/status").read_text().splitlines()
    sizes_kb = {line.split(":")[0]: int(line.split()[1]) for line in status if line.startswith(("VmRSS", "Rss"))}
    resident = sizes_kb["VmRSS"] / 2**20
    parts = ", ".join(f"{name[3:].lower()} {size / 2**20:.2f}" for name, size in sizes_kb.items() if name != "VmRSS")
    yield Row("W14", f"{sizes.files:,} files", "≤ 2 GB resident", f"{resident:.2f} GiB ({parts})", resident <= 1.86)
