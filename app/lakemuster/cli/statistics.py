"""Commands that show figures of a snapshot: of its files, and of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import source
from lakemuster.cli.option_groups import CURRENT, HERE, UNFILTERED, At, AtUnfiltered, Server
from lakemuster.cli.options import AsJson, Limit, NanMode, Sort, Top, Where
from lakemuster.cli.output import show_document, show_list
from lakemuster.cli.reading import show_rows
from lakemuster.cli.sources import Row, not_newest, query, without_effect
from lakemuster.cli.table_names import Name

Column = Annotated[str, typer.Argument(metavar="COLUMN", show_default=False, help="Full name of the column.")]

_ABOUT = frozenset({"stale", "not_applied"})
_NOT_DRAWN = {"open_files": "without a bound", "empty_files": "without a value"}
_GROUPS = ("file_format", "spec_id", "sort_order_id", "level")


def stats(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    at: At = CURRENT,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Show the figures of a snapshot: totals, sizes of files and partitions, deletes, levels of Paimon."""
    request = query("stats", name, at=at, options={"where": where, "nan": nan})
    with source(server) as found:
        figures = found.stats(request)
    if as_json:
        show_document(figures)
        return
    if figures["stale"] is not None:
        fail(not_newest(figures["stale"]))
    for one in figures["not_applied"] or ():
        fail(without_effect(one))
    show_list("stats", _lines(figures), as_json=False)


def columns(
    name: Name,
    columns: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,…", show_default=False, help="Full names of columns to show. Default: all."),
    ] = None,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the columns of a snapshot: counts, bounds, bytes, and how far the bounds of files overlap."""
    show_rows(query("columns", name, at=at, limit=limit, options={"columns": columns}), as_json, server)


def overlap(
    name: Name,
    column: Column,
    sort: Sort = None,
    top: Top = None,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the partitions of a snapshot: how many of their files' bounds of a column contain the same value."""
    options = {"column": column, "sort": sort, "top": None if top is None else str(top)}
    show_rows(query("overlap", name, at=at, limit=limit, options=options), as_json, server)


def bounds(
    name: Name,
    column: Column,
    where: Where = None,
    nan: NanMode = None,
    groups: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Maximum number of groups.")] = 20,
    at: At = CURRENT,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """Show a snapshot's data files as intervals of a column, in groups; with a filter, how many files it keeps."""
    options = {"column": column, "where": where, "nan": nan, "groups": str(groups)}
    with source(server) as found:
        intervals = found.bounds(query("bounds", name, at=at, options=options))
    if as_json:
        show_document(intervals)
        return
    if intervals["stale"] is not None:
        fail(not_newest(intervals["stale"]))
    for kind, reason in _NOT_DRAWN.items():
        if intervals[kind]:
            fail(f"files in no group: {intervals[kind]:,} {reason}")
    show_list("bounds", intervals["groups"], as_json=False)


def _lines(figures: Row) -> Iterator[Row]:
    """Yield a line for each figure, by its path in the document."""
    for name, value in figures.items():
        if name not in _ABOUT:
            yield from _of(name, value)


def _of(path: str, value: object) -> Iterator[Row]:
    match value:
        case Mapping():
            for name, member in value.items():
                yield from _of(f"{path}.{name}", member)
        case list():
            for item in value:
                yield from _of(f"{path}[{_label(item)}]", _rest(item))
        case _:
            yield {"figure": path, "value": value}


def _label(item: Row) -> str:
    """Return the key of a group of files, for the path of a figure."""
    if "from_bytes" in item:
        return f"{item['from_bytes']}-{item['to_bytes']}"
    return next((str(item[key]) for key in _GROUPS if key in item), "")


def _rest(item: Row) -> Row:
    return {name: value for name, value in item.items() if name not in (*_GROUPS, "from_bytes", "to_bytes")}
