"""Run the workloads that are separate programs, since they measure other processes, and convert their results to rows.

These are W1, W2, W4 and W7 over HTTP, W8, W11, W12, W15 and W17. Their tables are reused like those of the other
workloads; their modules document their output.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.far_index import STORES
from benchmarks.generate import iceberg_table, paimon_table
from benchmarks.lakes import Lakes, Shape
from benchmarks.measuring import BASE_BYTES, Peer, Row, mib, shown_ms
from benchmarks.paimon_plan import TABLES
from benchmarks.planning import Sizes

Found = dict[str, Any]


def ran(module: str, *words: object) -> Found:
    """Run a program, and return its parsed JSON output; SystemExit if it fails."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[1:])} ended with {done.returncode}")
    found: Found = json.loads(done.stdout)
    return found


def between(one: float, other: float) -> float:
    """Return the A/A noise: the relative difference of two measurements of the same."""
    return abs(one - other) / max(one, other, 1e-9)


def on_table(lakes: Lakes, shape: Shape) -> tuple[object, ...]:
    """Return the arguments of a program for a table and its index, which are made if missing."""
    root = lakes.lake(shape).root
    lakes.close()
    return "--table", root, "--index", lakes.index_of(root)


def cold_tables(lakes: Lakes, sizes: Sizes) -> list[tuple[int, int, Path]]:
    """Write W1's missing tables, deflated as in Java; return the columns, files and root of each."""
    found = []
    for columns, files in sizes.cold:
        manifests = max(10, files // 10_000)
        root = lakes.folder / "cold" / f"{files}x{columns}-{manifests}"
        with _made(root) as missing:
            if missing:
                iceberg_table(root, files=files, columns=columns, manifests=manifests, processes=lakes.processes)
        found.append((columns, files, root))
    return found


@contextmanager
def _made(root: Path) -> Iterator[bool]:
    """Yield whether a folder must be written, after removing an incomplete one; mark it complete on exit."""
    missing = not (root / "done").exists()
    if missing:
        shutil.rmtree(root, ignore_errors=True)
    yield missing
    (root / "done").touch()


def cold(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W1: a cold index."""
    target = "≥ 3 × PyIceberg's decode, per core; ≤ 4 × the time of inflating"
    for columns, files, root in cold_tables(lakes, sizes):
        found = ran("cold_index", "--table", root, "--peer-manifests", 5 if columns < 100 else 2)
        ours, ratios = found["lakemuster"], found["ratios"]
        figure = (
            f"{ratios['times_pyiceberg']} ×; {ratios['times_inflating']} × (zlib's: "
            f"{ratios['times_inflating_by_zlib']} ×); {ours['entries_per_cpu_second']:,} entries "
            f"a CPU second, {ours['wall_seconds']} s of the clock, {ours['peak_memory_mib']:,} MiB at most"
        )
        met = ratios["times_pyiceberg"] >= 3 and ratios["times_inflating"] <= 4
        entries, cpu = (found["pyiceberg"][name] for name in ("entries", "cpu_seconds"))
        peer = Peer("PyIceberg's decode", cpu * 1000, f"{entries:,} entries, the same paths")
        fraction = 1 / ratios["times_inflating"]
        yield Row("W1", f"{columns} columns", target, figure, met, None, files, [peer], None, fraction, found["noise"])


def far_table(lakes: Lakes, sizes: Sizes) -> Path:
    """Return the folder of W2's table, which is written if missing."""
    files, manifests = sizes.far
    folder = lakes.folder / "far" / f"{files}x20-{manifests}"
    with _made(folder) as missing:
        if missing:
            iceberg_table(
                folder / "t", files=files, manifests=manifests, location="s3://lake/t", processes=lakes.processes
            )
    return folder


def far(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W2: a cold index, from a slow object store of each kind."""
    files, manifests = sizes.far
    target = "≤ 1.3 × the larger of the I/O and the CPU bound"
    for store in STORES:
        found = ran("far_index", "--lake", far_table(lakes, sizes), "--store", store)
        ratio = found["ratios"]["times_the_larger_bound"]
        took, cpu = (
            statistics.mean(found[name]["seconds"] for name in names)
            for names in (("far", "again"), ("cpu_bound", "cpu_bound_again"))
        )
        figure = f"{ratio:.2f} ×: {took:.2f} s; I/O {found['io_bound']['seconds']} s, CPU {cpu:.2f} s"
        case = f"{store}: {manifests:,} manifests, 100 ms a request"
        yield Row("W2", case, target, figure, ratio <= 1.3, None, files, (), None, 1 / ratio, found["noise"])


def requests(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W4 and W7 over HTTP, for the two largest tables."""
    before: dict[str, float] = {}
    for count in sizes.growth[-2:]:
        found = ran("http_requests", *on_table(lakes, sizes.shape_of(count)), "--times", sizes.asked)
        limits = [found[f"limit, {when}"]["/thread"] for when in ("before", "after")]
        limit = statistics.mean(one["p50_ms"] for one in limits)
        noise = between(limits[0]["p50_ms"], limits[1]["p50_ms"])
        for name, kinds in found.items():
            workload, _, case = name.partition(" ")
            if workload not in ("W4", "W7"):
                continue
            for kind, seen in kinds.items():
                wall = seen["p50_ms"] if workload == "W4" else seen["p99_ms"]
                target = "p50 ≤ 5 ms; ≤ 1.5 × of a tenth" if workload == "W4" else "p99 ≤ 5 ms"
                figure = (
                    f"p50 {shown_ms(seen['p50_ms'])}, p99 {shown_ms(seen['p99_ms'])}, CPU {shown_ms(seen['cpu_ms'])}"
                )
                met = wall <= 5
                label = f"over HTTP, {kind}: {case}"
                if workload == "W4" and label in before:
                    figure += f"; {seen['p50_ms'] / before[label]:.2f} × that of the size before"
                    met = met and seen["p50_ms"] <= 1.5 * before[label]
                before[label] = seen["p50_ms"]
                yield Row(workload, label, target, figure, met, None, count, (), None, limit / seen["p50_ms"], noise)


def lists(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W8: all files of a table over HTTP."""
    files = min(sizes.files, 1_000_000)
    found = ran("http_lists", *on_table(lakes, sizes.shape_of(files)))
    for name, runs in found.items():
        if name.startswith(("limit", "memory", "manifests")):
            continue
        some = runs["then"] if isinstance(runs, dict) else runs
        form = "Arrow" if "Arrow" in name else "JSON"
        rate = statistics.mean(run["rows_per_second"] for run in some)
        least = 5_000_000 if form == "Arrow" else 500_000
        figure = f"{rate / 1e6:.2f}M rows/s, {statistics.mean(run['megabytes_per_second'] for run in some):.0f} MB/s"
        met = rate >= least
        target = f"≥ {least / 1e6:g}M rows/s"
        if "first_byte_ms" in some[0]:
            first, grown = (max(run[key] for run in some) for key in ("first_byte_ms", "grown_mib"))
            figure += f"; first byte {first:.0f} ms; {grown:.0f} MiB more"
            target += "; first byte ≤ 50 ms; ≤ 256 MB more memory"
            met = met and first <= 50 and grown <= 244
        limit = found[f"limit of files, {'Arrow' if form == 'Arrow' else 'NDJSON'}: ready bytes"]
        fraction = rate / statistics.mean(run["rows_per_second"] for run in limit)
        noise = between(*(run["rows_per_second"] for run in some[:2]))
        # In a small table, a request's fixed cost hides the cost per row.
        yield Row(
            "W8", name, target, figure, met if files >= 1_000_000 else None, None, files, (), None, fraction, noise
        )


def load_shape(sizes: Sizes) -> Shape:
    """Return the shape of W11's table, which no other workload uses, since it grows."""
    files = min(sizes.files, 1_000_000)
    return Shape(files, manifests=max(1, files // 10_000), use="load")


def load(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W11: concurrent clients."""
    files = load_shape(sizes).files
    found = ran("http_load", *on_table(lakes, load_shape(sizes)), "--seconds", sizes.seconds)
    limits = {
        path: [found[f"limit {path}, {when}"]["per_second"] for when in ("before", "after")]
        for path in ("/ready", "/thread")
    }
    empty, noise = statistics.mean(limits["/thread"]), between(*limits["/thread"])
    least = found["limit /thread, before"]["p99_ms"] / found["limit /thread, before, one client"]["p99_ms"]
    target = "≥ half the requests/s of an empty endpoint; p99 ≤ 5 × idle p99"
    for kind in ("again", "new"):
        idle = found[f"{kind}, one client"]["p99_ms"]
        for when in ("", ", refreshes"):
            seen = found[f"{kind}, 32 clients{when}"]
            rate, p99 = seen["per_second"], seen["p99_ms"]
            figure = (
                f"{rate:,}/s of {empty:,.0f}/s (by a thread; {statistics.mean(limits['/ready']):,.0f}/s `async`); "
                f"p99 {shown_ms(p99)}, idle {shown_ms(idle)}: {p99 / max(idle, 1e-9):.1f} × (empty: {least:.1f} ×); "
                f"{seen['failed']} failed"
            )
            met = (rate >= empty / 2 and p99 <= 5 * idle and not seen["failed"]) if when else None
            case = f"32 clients, {kind}{when or ', nothing else'}"
            yield Row("W11", case, target if when else "", figure, met, None, files, (), None, rate / empty, noise)


def memory(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W14 over HTTP: the memory of a server with many clients."""
    found = ran("http_memory", *on_table(lakes, sizes.big), "--seconds", sizes.seconds)
    budget, phases = found["budget"], [name for name, seen in found.items() if isinstance(seen, dict)]
    most = max(found[name]["anonymous"] for name in phases)
    parts = "; ".join(
        f"{name} {mib(found[name]['anonymous'])}, resident {mib(found[name]['resident'])}, "
        f"{found[name]['requests']:,} requests, {found[name]['failed']} failed"
        for name in phases
    )
    figure = f"{mib(most)} at most; {mib(found['ready'])} when ready; {parts}; caches {mib(found['caches'])}"
    met = most <= budget + BASE_BYTES and found["caches"] <= budget
    target = f"anonymous ≤ MEMORY_BYTES, {mib(budget)}, + {mib(BASE_BYTES)}"
    yield Row("W14", "a server under 32 clients", target, figure, met, None, sizes.files)


def restart(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W12: a restart with a warm index."""
    found = ran("http_restart", *on_table(lakes, sizes.big), "--times", 5)
    first, read = found["slowest_first_answer_ms"], found["objects_read"]
    met = first <= 300 and read == [0.0]
    figure = f"{found['first_answer_ms']} ms, slowest of 5 {first} ms; {max(read, default=0):.0f} objects read"
    figure += f"; ready in {found['ready_s']} s"
    yield Row("W12", "first answer after ready", "≤ 300 ms, no metadata GET", figure, met, None, sizes.files)


def sidecar(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W17: an attached catalog."""
    found = ran("http_sidecar", *on_table(lakes, sizes.big), "--times", sizes.asked * 2)
    noise = f"load {found['load']} at the start"
    for case in ("load a table", "commit"):
        upstream, through = found[case]["upstream"], found[case]["through"]
        figure = f"p50 {through} ms through us, {upstream} ms at the catalog; {noise}"
        yield Row("W17", f"{case}, passed on", "p50 ≤ 2 ms more than the catalog's", figure, through - upstream <= 2)
    large = found["large answer, MB/s"]
    upstream, through = large["upstream"], large["through"]
    figure = f"{through} MB/s through us, {upstream} MB/s at the catalog: {through / upstream:.2f} × "
    figure += f"({large['ratio'][0]} to {large['ratio'][1]}); {large['relay']} MB/s through a relay of bytes"
    yield Row("W17", "64 MiB, passed on", "≥ 0.8 × the catalog's bytes/s", figure, through >= 0.8 * upstream)
    for case in (name for name in found if name.startswith(("W4", "W7"))):
        own, of_catalog = found[case]["own"], found[case]["attached"]
        figure = f"p50 {of_catalog} ms, {own} ms as a table of our own"
        yield Row("W17", f"{case}, /iceberg/v1 plan", "≤ 1 ms more", figure, of_catalog - own <= 1, None, sizes.files)
    listing = found["listing"]
    figure = f"{listing['tables']:,} tables in {listing['listed_s']} s, {listing['pointers']:,} pointers in "
    figure += f"{listing['pointers_s']} s"
    met = listing["listed_s"] + listing["pointers_s"] <= 30
    yield Row("W17", "listing and pointers, 10 ms an answer", "≤ 30 s", figure, met)


def paimon_tables(lakes: Lakes, sizes: Sizes) -> Path:
    """Return the warehouse of W15's tables, which is written if missing."""
    warehouse = lakes.folder / "paimon" / str(sizes.paimon)
    size = {"files": sizes.paimon, "columns": 20, "manifests": 50, "processes": lakes.processes}
    with _made(warehouse) as missing:
        for table in TABLES if missing else ():
            paimon_table(warehouse / "db.db" / table, primary_key=table == "keyed", **size)
    return warehouse


def paimon(lakes: Lakes, sizes: Sizes) -> Iterator[Row]:
    """Measure W15: plans of Paimon tables."""
    warehouse, index = paimon_tables(lakes, sizes), lakes.folder / "paimon-index" / str(sizes.paimon)
    words: tuple[object, ...] = ("--warehouse", warehouse, "--index", index, "--peer-repeat", 1 if sizes.peers else 0)
    for table, cases in ran("paimon_plan", *words).items():
        for case, seen in cases.items():
            yield _paimon_row(f"{table}, {case}", seen)


def _paimon_row(case: str, seen: Mapping[str, Any]) -> Row:
    ours, peers, met = seen["in_process_ms"], list[Peer](), None
    for kind, name in (("python", "pypaimon"), ("native", "pypaimon, native planner")):
        if f"pypaimon_{kind}_ms" in seen:
            peers.append(Peer(name, seen[f"pypaimon_{kind}_ms"], f"{seen[f'ratio_{kind}']:,} ×"))
    if len(peers) == 2:
        met = seen["ratio_python"] >= 100 and seen["ratio_native"] >= 3
    figure = f"{shown_ms(ours)}; {shown_ms(seen['http_ms'])} over HTTP; first {shown_ms(seen['first_ms'])}"
    target = "warm ≥ 100 × pypaimon; ≥ 3 × its native planner"
    return Row("W15", case, target, figure, met, None, seen["files"], peers, None, None, seen["noise"])
