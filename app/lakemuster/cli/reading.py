"""Commands that list tables and their contents: snapshots, refs, schemas, manifests, files and more."""

from __future__ import annotations

from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.opening import no_tables, registered, source
from lakemuster.cli.option_groups import CURRENT, HERE, UNFILTERED, At, AtUnfiltered, Server
from lakemuster.cli.options import (
    AsJson,
    AsOf,
    Limit,
    NanMode,
    NoWhere,
    Ref,
    Sort,
    SortOfTop,
    Top,
    Where,
    snapshot_id,
)
from lakemuster.cli.output import show_list
from lakemuster.cli.progress import progress_until_first
from lakemuster.cli.sources import Query, limited, query
from lakemuster.cli.table_names import Name

Search = Annotated[
    str | None, typer.Option("--search", metavar="TEXT", show_default=False, help="A part of the names.")
]


def tables(
    namespace: Annotated[
        str | None, typer.Option(metavar="NAME", show_default=False, help="List the tables of this namespace only.")
    ] = None,
    search: Search = None,
    table_format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", show_default=False, help="iceberg or paimon.")
    ] = None,
    catalog: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default=False, help="List the tables of this attached catalog only."),
    ] = None,
    stale: Annotated[
        bool | None,
        typer.Option("--stale/--fresh", show_default=False, help="Whether their newest state could not be read."),
    ] = None,
    health: Annotated[
        str | None,
        typer.Option(metavar="STATUS,…", show_default=False, help="Of these: ok, unknown, warning, critical."),
    ] = None,
    sort: Sort = None,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the registered tables, with the size of each."""
    choice = {
        "namespace": namespace,
        "search": search,
        "format": table_format,
        "catalog": catalog,
        "stale": stale,
        "health": health,
        "sort": sort,
    }
    given = {name: value for name, value in choice.items() if value is not None}
    with registered(server, given) as rows:
        shown = limited(progress_until_first(rows, "tables"), limit)
        show_list("tables", shown, as_json=as_json, nothing=lambda: no_tables(server, of_choice=bool(given)))


def namespaces(search: Search = None, sort: Sort = None, as_json: AsJson = False, server: Server = HERE) -> None:
    """List the namespaces of registered tables, with the sums of their tables' sizes."""
    with source(server) as found:
        rows = found.namespaces({"search": search, "sort": sort})
        shown = progress_until_first(rows, "namespaces")
        is_chosen = search is not None
        show_list("namespaces", shown, as_json=as_json, nothing=lambda: no_tables(server, of_choice=is_chosen))


def snapshots(
    name: Name,
    sort: Sort = None,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List a table's snapshots, newest first, and whether each can be read; of a selected one: it and its ancestors."""
    request = query("snapshots", name, at=at, limit=limit, options={"sort": sort})
    show_rows(request, as_json, server)


def refs(
    name: Name,
    at: AtUnfiltered = UNFILTERED,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List a table's branches and tags; of a snapshot, those that name it."""
    show_rows(query("refs", name, at=at), as_json, server)


def schemas(
    name: Name,
    at: AtUnfiltered = UNFILTERED,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the versions of a table's columns; of a snapshot, the one that it is read with."""
    show_rows(query("schemas", name, at=at), as_json, server)


def specs(
    name: Name,
    at: AtUnfiltered = UNFILTERED,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the versions of a table's partitioning; of a snapshot, those that its manifests have."""
    show_rows(query("specs", name, at=at), as_json, server)


def manifests(
    name: Name,
    sort: Sort = None,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the manifests of a snapshot."""
    request = query("manifests", name, at=at, limit=limit, options={"sort": sort})
    show_rows(request, as_json, server)


def entries(
    name: Name,
    manifest: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", show_default=False, help="List the entries of one manifest: its location or file name."
        ),
    ] = None,
    sort: SortOfTop = None,
    top: Top = None,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List every entry of a snapshot's manifests, deleted ones too."""
    options = {"manifest": manifest, **_arrangement(sort, top)}
    request = query("entries", name, at=at, limit=limit, options=options)
    show_rows(request, as_json, server)


def files(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    content: Annotated[
        str | None,
        typer.Option(
            metavar="CONTENT,…",
            show_default=False,
            help="Kinds of files: data, position-deletes, equality-deletes, changelog. Default: all live files.",
        ),
    ] = None,
    stats: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,…", show_default=False, help="With --json: columns whose statistics to show; * for all."
        ),
    ] = None,
    sort: SortOfTop = None,
    top: Top = None,
    at: At = CURRENT,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the live data and delete files of a snapshot."""
    options = {"filter": where, "nan": nan, "content": content, "stats": stats, **_arrangement(sort, top)}
    request = query("files", name, at=at, limit=limit, options=options)
    show_rows(request, as_json, server)


def partitions(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    sort: Sort = None,
    top: Top = None,
    ready: Annotated[
        bool, typer.Option("--ready", help="Only partitions that are ready by the rules of the settings.")
    ] = False,
    at: At = CURRENT,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the partitions of a snapshot, summed over their live files; with a filter, over those that it keeps."""
    options = {"filter": where, "nan": nan, **_arrangement(sort, top)}
    if ready and (at != CURRENT or any(value is not None for value in options.values())):
        raise typer.BadParameter("it takes no snapshot, filter or order", param_hint="--ready")
    kind = "ready_partitions" if ready else "partitions"
    request = query(kind, name, at=at, limit=limit, options={} if ready else options)
    show_rows(request, as_json, server)


def indexes(
    name: Name,
    at: AtUnfiltered = UNFILTERED,
    limit: Limit = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the index files of a Paimon snapshot: hash indexes and deletion vectors."""
    request = query("indexes", name, at=at, limit=limit)
    show_rows(request, as_json, server)


def diff(
    name: Name,
    from_id: Annotated[
        int,
        typer.Argument(metavar="FROM", show_default=False, callback=snapshot_id, help="Id of the earlier snapshot."),
    ],
    to_id: Annotated[
        int | None,
        typer.Argument(
            metavar="TO",
            show_default=False,
            callback=snapshot_id,
            help="Id of the later snapshot. Default: the current one.",
        ),
    ] = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    server: Server = HERE,
) -> None:
    """List the files removed and added between two snapshots."""
    options = {"from": str(from_id)}
    request = query("diff", name, at=At(to_id, ref, as_of), limit=limit, options=options)
    show_rows(request, as_json, server)


def _arrangement(sort: str | None, top: int | None) -> dict[str, str | None]:
    return {"sort": sort, "top": None if top is None else str(top)}


def show_rows(request: Query, as_json: bool, server: Server, kind: str | None = None) -> None:
    """Write a list of one table.

    Args:
        kind: which columns to show; by default those of the request's kind.
    """
    with source(server) as found:
        rows = limited(progress_until_first(found.rows(request, fail), request.table), request.limit)
        show_list(kind or request.kind, rows, as_json=as_json)
