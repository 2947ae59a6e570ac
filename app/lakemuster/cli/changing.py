"""Commands that change the index: add, discover, remove, refresh, index, sync, sweep."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from enum import StrEnum
from typing import Annotated

import typer

from lakemuster.cli.application import deliberate_message, fail
from lakemuster.cli.opening import local_source, no_tables, server_packages, source
from lakemuster.cli.option_groups import HERE, ONLY_HERE, IndexHere, Server
from lakemuster.cli.options import AsJson, Rewrites, TableFormat, parse_rewrites
from lakemuster.cli.output import Row, say, show_document, show_list
from lakemuster.cli.progress import Count, counting, progress_before_each, working
from lakemuster.cli.sources import LocalIndex, Refreshed, Source
from lakemuster.cli.table_names import Name, Names, NewName, SomeNames
from lakemuster.cli.text import NOTHING, printable
from lakemuster.errors import NotATable

EVERY_SNAPSHOT = 2**31 - 1


class Engine(StrEnum):
    """The engine that decodes manifests."""

    LOCAL = "local"
    SPARK = "spark"


def add(
    name: NewName,
    location: Annotated[
        str,
        typer.Argument(
            metavar="LOCATION", show_default=False, help="The table's root or, for Iceberg, a metadata.json."
        ),
    ],
    table_format: TableFormat = None,
    rewrite: Rewrites = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Register a table. On the index here its location becomes an allowed one."""
    rewrites = parse_rewrites(rewrite)
    with source(server) as found, working(name):
        row = found.add(name, location, table_format, rewrites)
    if as_json:
        show_document(row)
    else:
        say(printable(f"registered {row['name']} ({row['format']}) at {row['location']}"))
        for warning in row.get("warnings") or ():
            say(printable(f"warning: {warning}"))


def discover(
    url: Annotated[
        str, typer.Argument(metavar="URL", show_default=False, help="Location below which to look for tables.")
    ],
    namespace: Annotated[
        str | None,
        typer.Option(
            metavar="NS",
            show_default=False,
            help="Register the tables in this namespace, not in those of their folders.",
        ),
    ] = None,
    rewrite: Rewrites = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """Register every Iceberg and Paimon table below a folder; print one line for each.

    Folders that cannot be read are shown as refused. The status is 1 if no table is registered.
    """
    rewrites = parse_rewrites(rewrite)
    found = local_source()
    try:
        rows: Iterator[Row] = progress_before_each(found.discover(url, namespace, rewrites), url)
        if (first := next(rows, None)) is None:
            raise NotATable(f"no Iceberg or Paimon table found below {url}")
        counts: Counter[str] = Counter()
        rows = _counting_outcomes(itertools.chain([first], rows), counts)
        if as_json:
            show_list("discover", rows, as_json=True)
        else:
            for row in rows:
                say(_discovered(row))
    finally:
        found.close()
    if counts.keys() == {"refused"}:
        raise typer.Exit(1)


def _counting_outcomes(rows: Iterable[Row], counts: Counter[str]) -> Iterator[Row]:
    for row in rows:
        counts[row["outcome"]] += 1
        yield row


def _discovered(row: Row) -> str:
    warnings = (f"warning: {warning}" for warning in row.get("warnings", ()))
    words = (row["outcome"], row["name"], row["format"] or NOTHING, row["location"], row["reason"], *warnings)
    return "\t".join(printable(word) for word in words if word is not None)


def remove(name: Name, server: Server = HERE) -> None:
    """Unregister a table. Its files are not changed."""
    # Removing a table is the remedy if it has the name of a catalog.
    with source(server, with_catalogs=False) as found:
        found.remove(name)
    say(f"removed {printable(name)}")


def refresh(
    names: Names = None,
    every: Annotated[bool, typer.Option("--all", help="Every registered table.")] = False,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Look at where tables point now, and index what is new."""
    if bool(names) == every:
        raise typer.BadParameter("give table names, or --all", param_hint="NAME")
    with source(server) as found:
        chosen = [str(row["name"]) for row in found.tables()] if every else list(names or ())
        if not chosen and not as_json:
            fail(no_tables(server))
        _refresh(found, chosen, as_json=as_json)


EngineOption = Annotated[
    Engine, typer.Option(help="Where manifests are decoded: here, or by one Spark job for all tables.")
]
Master = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        show_default=False,
        help="With --engine spark, Spark's master: local[2], yarn, spark://…, sc://….",
    ),
]


def index(
    names: SomeNames,
    engine: EngineOption = Engine.LOCAL,
    master: Master = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """Index every snapshot of tables in advance, including old ones."""
    with _index_of(engine, master, EVERY_SNAPSHOT) as found:
        _refresh(found, names, as_json=as_json)


@contextmanager
def _index_of(engine: Engine, master: str | None, history: int | None) -> Iterator[LocalIndex]:
    """Open the index here.

    Args:
        history: overrides that setting for every table, unless None.

    Raises:
        typer.BadParameter: a master without Spark.
    """
    if engine is Engine.SPARK:
        with server_packages("--engine spark"):
            from lakemuster.cli.spark_engine import spark_source  # noqa: PLC0415
        with spark_source(master, history) as on_spark:
            yield on_spark
        return
    if master is not None:
        raise typer.BadParameter("requires --engine spark", param_hint="--master")
    with closing(local_source(history=history)) as found:
        yield found


def sync(
    name: Annotated[str, typer.Argument(metavar="CATALOG", show_default=False, help="Name of an attached catalog.")],
    pattern: Annotated[
        str | None,
        typer.Option(
            "--index",
            metavar="PATTERN",
            show_default=False,
            help="Then index its tables whose names there match, such as 'sales.*'.",
        ),
    ] = None,
    engine: EngineOption = Engine.LOCAL,
    master: Master = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """List an attached catalog now: register its new tables, and unregister those that it no longer has."""
    if engine is Engine.SPARK and pattern is None:
        raise typer.BadParameter("requires --index", param_hint="--engine")
    with _index_of(engine, master, None) as found:
        with working(name):
            synced = found.sync(name)
        if not as_json:
            seen = _counted(synced["tables"], "table", "tables")
            kinds = ("added", "removed", "renamed", "left_out")
            changes = ", ".join(f"{synced[kind]} {kind.replace('_', ' ')}" for kind in kinds)
            say(f"{printable(name)}: {seen}, {changes}, {synced['seconds']:.1f} s")
        elif pattern is None:
            show_document(synced)
        if pattern is not None:
            names = found.names_in(name, pattern)
            if not names:
                fail(f"no table of {name} matches {pattern!r}")
            _refresh(found, names, as_json=as_json)


def sweep(
    grace: Annotated[
        float,
        typer.Option(
            min=1.0, metavar="HOURS", help="Minimum age of removed segments; must be longer than any refresh takes."
        ),
    ] = 24.0,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """Remove segments that no table needs any more: of removed tables, and of snapshots that expired."""
    with closing(local_source()) as found, working("sweep"):
        swept = found.sweep(grace * 3600)
    if as_json:
        show_document(swept)
    else:
        say(f"{_counted(swept['files'], 'segment', 'segments')} removed, {swept['bytes']:,} bytes")


def _refresh(found: Source, names: Sequence[str], *, as_json: bool) -> None:
    """Refresh tables side by side; a failure of one does not stop the others.

    Raises:
        typer.Exit: with 1, if a table's pointer or its newest state cannot be read. An older
            snapshot that cannot be read is reported, but is not a failure: it may never be repaired.
    """
    reports: dict[str, Row] = {}
    failed = False
    with counting("tables", len(names)) as count:
        for one in _outcomes(found, names, count):
            count.step()
            failed = _report_problems(one, count) or failed
            if one.report is None:
                continue
            reports[one.name] = one.report
            if not as_json:
                count.say(printable(_refreshed(one.name, one.report)))
    if as_json:
        show_document([reports[name] for name in names if name in reports])
    if failed:
        raise typer.Exit(1)


def _outcomes(found: Source, names: Sequence[str], count: Count) -> Iterator[Refreshed]:
    if len(names) != 1:
        yield from found.refresh_many(names, count.advance_manifests)
        return
    (name,) = names
    try:
        with count.working(name) as advance:
            report = found.refresh(name, advance)
        stale = found.stale(name)
    except Exception as error:
        if deliberate_message(error) is None:
            raise
        yield Refreshed(name, error=error)
    else:
        yield Refreshed(name, report, stale=stale)


def _report_problems(one: Refreshed, count: Count) -> bool:
    """Write what went wrong with a table's refresh; return whether it failed."""
    if one.report is None:
        message = None if one.error is None else deliberate_message(one.error)
        count.fail(f"{one.name}: {message}")
        return True
    for snapshot in one.report["quarantined"]:
        count.fail(f"{one.name}: snapshot {snapshot['snapshot_id']} cannot be read: {snapshot['reason']}")
    if one.stale is not None and all(snapshot["reason"] != one.stale for snapshot in one.report["quarantined"]):
        count.fail(f"{one.name}: its newest state cannot be read: {one.stale}")
    return one.stale is not None


def _refreshed(name: str, report: Row) -> str:
    parts = [
        f"{_counted(len(report['published']), 'snapshot', 'snapshots')} published",
        *([f"{len(report['quarantined'])} quarantined"] if report["quarantined"] else []),
        f"{_counted(report['manifests_fetched'], 'manifest', 'manifests')} fetched",
        f"{_counted(report['entries_decoded'], 'entry', 'entries')} decoded",
        f"{report['seconds']:.1f} s",
    ]
    return f"{name}: {', '.join(parts)}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
