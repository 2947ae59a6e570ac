"""The command ``bench-here``: measure this machine, and show the figures of the documentation's machine beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from lakemuster.cli.opening import server_packages
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import Row, say, show_document, show_list
from lakemuster.cli.progress import working
from lakemuster.cli.text import printable

ENTRIES, SECONDS = 50_000, 20.0

REFERENCE: Mapping[str, float] = {
    "entries indexed per CPU second": 119_443,
    "entries indexed per second": 53_947,
    "bytes of database per entry": 0.41,
    "bytes of segments per entry": 947,
    "plans, one partition: per second": 1_575,
    "plans, one partition: p50 ms": 0.143,
    "plans, one partition: p99 ms": 7.61,
    "plans, clustered range: per second": 629,
    "plans, clustered range: p50 ms": 0.464,
    "plans, clustered range: p99 ms": 20.4,
    "plans, partition and bounds: per second": 624,
    "plans, partition and bounds: p50 ms": 0.706,
    "plans, partition and bounds: p99 ms": 11.7,
    "plans, all files: per second": 555,
    "plans, all files: p50 ms": 0.807,
    "plans, all files: p99 ms": 22.2,
    "peak memory, MiB": 247,
    "peak memory of decoders, MiB": 344,
    "disk flush: p50 ms": 1.59,
    "disk flush: p99 ms": 8.03,
}
"""The figures of the documentation's machine, by their names in :func:`figures`: medians of three runs.

It had 2 processors (AMD EPYC) and 24 GiB, and was busy with other work (load 7), which lengthens wall-clock times.
"""


def bench_here(
    url: Annotated[
        str | None,
        typer.Argument(
            metavar="URL",
            show_default=False,
            help="A local folder, or an object store's URL. Default: the system's folder for temporary files.",
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, max=3_600, help="About how long it may take.")
    ] = SECONDS,
    entries: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=10_000_000, help="Files of the table; fewer if the time does not suffice."
        ),
    ] = ENTRIES,
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave the table and its index where they were written.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure this machine: index and plan a synthetic table of 20 columns, without a server.

    Writes the metadata of an Iceberg table into a new folder, indexes it into SQLite with the decoders of the
    settings, plans filters in this process, and flushes small writes to disk; below an object store's URL, table and
    segments are there, and small objects are written and read. Beside each figure is that of the documentation's
    machine. The folder is removed at the end. Neither the index here nor any other table is touched.
    """
    with server_packages("bench-here"):
        from lakemuster.cli.machine_benchmark import measure  # noqa: PLC0415
    with working("bench-here") as advance:
        found = measure(url, entries, seconds, advance, keep=keep)
    if as_json:
        show_document({**found, "reference": dict(REFERENCE)})
        return
    say(printable(_about(found)))
    if keep:
        say(printable(f"kept: {found['location']}"))
    show_list("bench", rows(figures(found)), as_json=False)


def _about(found: Mapping[str, Any]) -> str:
    machine, table = found["machine"], found["table"]
    size, load = f"{machine['memory_bytes'] / 2**30:.0f} GiB", f"load {machine['load']}"
    work = f"{table['entries']:,} entries in {table['manifests']} manifests, {found['index']['decoders']} decoders"
    return (
        f"{machine['processors']} processors ({machine['processor']}), {size}, {load}; {work}; {found['seconds']:.1f} s"
    )


def figures(found: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the figures by name, with units in the names; None where the system does not report one."""
    index, memory = found["index"], found["memory"]
    named: dict[str, float | None] = {
        "entries indexed per CPU second": index["entries_per_cpu_second"],
        "entries indexed per second": index["entries_per_second"],
        "bytes of database per entry": index["database_bytes_per_entry"],
        "bytes of segments per entry": index["segment_bytes_per_entry"],
    }
    for case in found["plans"]:
        for key, unit in (("per_second", "per second"), ("p50_ms", "p50 ms"), ("p99_ms", "p99 ms")):
            named[f"plans, {case['case']}: {unit}"] = case[key]
    named["peak memory, MiB"] = memory["process_bytes"] / 2**20
    named["peak memory of decoders, MiB"] = _mebibytes(memory["decoder_bytes"])
    named |= _waits("disk flush", found["flush"])
    if found["storage"] is not None:
        named |= _waits("object write", found["storage"]["write"]) | _waits("object read", found["storage"]["read"])
    return named


def _mebibytes(size: int | None) -> float | None:
    return None if size is None else size / 2**20


def _waits(name: str, waits: Mapping[str, Any]) -> dict[str, float | None]:
    return {f"{name}: p50 ms": waits["p50_ms"], f"{name}: p99 ms": waits["p99_ms"]}


def rows(named: Mapping[str, float | None]) -> list[Row]:
    """Return a row for each figure, with that of the documentation's machine."""
    return [
        {"figure": name, "here": shown(here), "reference": shown(REFERENCE.get(name))} for name, here in named.items()
    ]


def shown(value: float | None) -> str | None:
    """Format a figure with at least three digits."""
    if value is None:
        return None
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
