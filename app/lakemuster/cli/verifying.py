"""The command ``verify``: compare the index with the tables' metadata."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from lakemuster.cli.application import deliberate_message, fail
from lakemuster.cli.opening import local_source, no_tables
from lakemuster.cli.option_groups import ONLY_HERE, IndexHere, Server
from lakemuster.cli.options import AsJson
from lakemuster.cli.output import Row, show_document
from lakemuster.cli.progress import counting
from lakemuster.cli.table_names import Names
from lakemuster.cli.text import printable


def verify(
    names: Names = None,
    every: Annotated[bool, typer.Option("--all", help="Every registered table.")] = False,
    repair: Annotated[bool, typer.Option("--repair", help="Replace what differs.")] = False,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", show_default=False, help="Check N manifests of each table, chosen at random."),
    ] = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """Decode manifests again with the reference decoder, and compare them with the index.

    One line for each difference: table, kind (lost, damaged, differs, unreadable), where, what. The status is 1 when
    anything differed, repaired or not, and 0 when all is equal. A running server keeps what it has in memory: restart
    it after a repair of something that differed.
    """
    if bool(names) == every:
        raise typer.BadParameter("give table names, or --all", param_hint="NAME")
    reports: list[Row] = []
    failed = False
    with closing(local_source()) as found:
        chosen = [str(row["name"]) for row in found.tables()] if every else list(names or ())
        if not chosen and not as_json:
            fail(no_tables(Server("")))
        with counting("tables", len(chosen)) as count:
            for name in chosen:
                try:
                    with count.working(name) as advance:
                        report, lines = found.verify(name, advance, repair=repair, sample=sample)
                except Exception as error:
                    if (message := deliberate_message(error)) is None:
                        raise
                    failed = True
                    count.fail(f"{name}: {message}")
                    continue
                finally:
                    count.step()
                reports.append(report)
                failed = failed or bool(lines)
                if not as_json:
                    for line in lines:
                        count.say("\t".join(printable(word) for word in line))
                    count.say(printable(_summary(report)))
    if as_json:
        show_document(reports)
    if failed:
        raise typer.Exit(1)


def _summary(report: Row) -> str:
    differences = report["differences"]
    repaired = sum(one["repaired"] for one in differences)
    words = [
        f"{report['snapshots']:,} snapshots",
        f"{report['manifests']:,} manifests",
        f"{report['packed']:,} packed segments",
        f"{report['entries']:,} entries",
        f"{len(differences):,} differences" if differences else "all equal",
        *([f"{repaired:,} repaired"] if repaired else []),
    ]
    return f"{report['table']}: {', '.join(words)}"
