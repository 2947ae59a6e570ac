"""The command ``orphans``: files below a location that no registered table refers to."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import local_source
from lakemuster.cli.option_groups import ONLY_HERE, IndexHere
from lakemuster.cli.options import AGE_UNITS_MS, AsJson, Limit, age_ms
from lakemuster.cli.output import Row, say, show_document, show_list
from lakemuster.cli.progress import working
from lakemuster.cli.sources import OrphanRequest, limited
from lakemuster.cli.text import printable
from lakemuster.errors import ReferencesUnknown, StorageError

_SHORTEST_MS = 86_400_000


def orphans(
    url: Annotated[
        str, typer.Argument(metavar="URL", show_default=False, help="Location below which to look for orphan files.")
    ],
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="Minimum age of orphans: 3d, 36h; at least 1d.")
    ] = "3d",
    allow_recent: Annotated[
        bool, typer.Option("--allow-recent", help="Allow an age below 1d: files of running commits may be reported.")
    ] = False,
    inventory: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            show_default=False,
            help="S3 inventory to use instead of a listing: its manifest.json (CSV or Parquet), or a Parquet file.",
        ),
    ] = None,
    index: Annotated[bool, typer.Option("--index", help="Index the snapshots that are needed first.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default=False, dir_okay=False, help="Parquet file to write the list to."),
    ] = None,
    files: Annotated[bool, typer.Option("--files", help="List the orphans instead of sums.")] = False,
    depth: Annotated[
        int, typer.Option(metavar="N", min=0, max=16, help="Levels of folders below URL to sum up by.")
    ] = 2,
    limit: Limit = None,
    as_json: AsJson = False,
    _server: IndexHere = ONLY_HERE,
) -> None:
    """Report the files below a location that no registered table refers to; nothing is removed.

    Every table that shares the location must be readable and indexed whole, and no folder may look like a table that
    is not registered: otherwise one line names each of them, and the status is 1. A server is not asked: listing takes
    longer than a request should. On Spark, lakemuster.spark.orphans lists on executors.
    """
    request = OrphanRequest(url, _age_ms(older_than, allow_recent=allow_recent), inventory, index, depth)
    if output is not None and not output.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {output.parent}", param_hint="--output")
    with closing(local_source()) as source:
        try:
            with working(url) as advance:
                found = source.orphans(request, advance)
        except ReferencesUnknown as error:
            refused = error.context.get("refused")
            for one in refused if isinstance(refused, list) else ():
                fail(f"{one['name']}: {one['reason']}")
            raise
        with closing(found):
            if output is not None:
                try:
                    found.save(output)
                except OSError as cause:
                    raise StorageError(f"{output} cannot be written: {cause.strerror}") from cause
            if files:
                show_list("orphans", limited(found.rows(), limit), as_json=as_json)
            elif as_json:
                show_document(found.report)
            else:
                _show(found.report)


def _show(report: Row) -> None:
    orphan = report["orphans"]
    say(f"{orphan['files']:,} orphan files, {orphan['bytes']:,} bytes below {printable(report['location'])}")
    words = [
        f"{report['listed']['files']:,} files listed at {report['listed_at']} ({report['clock']} time)",
        f"{report['recent']['files']:,} younger than {_age(report['older_than_seconds'])}",
        f"{len(report['tables']):,} tables",
    ]
    for key, text in (("undated", "of unknown age"), ("unnamed", "whose names are not text"), ("links", "links")):
        count = report[key]["files"] if key == "undated" else report[key]
        if count:
            words.append(f"{count:,} {text}")
    say("; ".join(words))
    for key in ("kinds", "folders"):
        if report[key]:
            show_list(key, report[key], as_json=False)


def _age(seconds: int) -> str:
    """Return an age as ``--older-than`` takes it, in the largest unit that needs no fraction."""
    unit = next(unit for unit, ms in AGE_UNITS_MS.items() if seconds * 1000 % ms == 0)
    return f"{seconds * 1000 // AGE_UNITS_MS[unit]}{unit}"


def _age_ms(text: str, *, allow_recent: bool) -> int:
    age = age_ms(text)
    if age is None:
        raise typer.BadParameter(f"{text!r} is not an age such as 3d or 36h", param_hint="--older-than")
    if age < _SHORTEST_MS and not allow_recent:
        raise typer.BadParameter(
            "an age below 1d would report files of running commits: --allow-recent permits it",
            param_hint="--older-than",
        )
    return age
