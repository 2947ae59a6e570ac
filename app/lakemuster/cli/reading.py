"""Commands that list tables and their contents: snapshots, refs, schemas, manifests, files and more."""

from __future__ import annotations

import itertools
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.options import (
    AsJson,
    AsOf,
    Limit,
    Name,
    NanMode,
    NoWhere,
    Ref,
    SnapshotId,
    Token,
    TokenEnv,
    Uri,
    Where,
)
from lakemuster.cli.output import show_list
from lakemuster.cli.progress import progress_until_first
from lakemuster.cli.sources import Query, query, registered, source


def tables(as_json: AsJson = False, uri: Uri = None, token: Token = None, token_env: TokenEnv = None) -> None:
    """List the registered tables."""
    with registered(uri, token, token_env) as rows:
        show_list("tables", progress_until_first(rows, "tables"), as_json=as_json)


def snapshots(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List a table's snapshots, and whether each can be read; of one, it and those that led to it."""
    request = query("snapshots", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit)
    _show(request, as_json, uri, token, token_env)


def refs(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List a table's branches and tags; of a snapshot, those that name it."""
    _show(query("refs", name, snapshot=snapshot, ref=ref, as_of=as_of), as_json, uri, token, token_env)


def schemas(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the versions of a table's columns; of a snapshot, the one that it is read with."""
    _show(query("schemas", name, snapshot=snapshot, ref=ref, as_of=as_of), as_json, uri, token, token_env)


def specs(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the versions of a table's partitioning; of a snapshot, those that its manifests have."""
    _show(query("specs", name, snapshot=snapshot, ref=ref, as_of=as_of), as_json, uri, token, token_env)


def manifests(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the manifests of a snapshot."""
    request = query("manifests", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit)
    _show(request, as_json, uri, token, token_env)


def entries(
    name: Name,
    manifest: Annotated[
        str | None,
        typer.Option(metavar="PATH", show_default=False, help="Of this manifest alone: its location or name."),
    ] = None,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List every entry of a snapshot's manifests, deleted ones too."""
    options = {"manifest": manifest}
    request = query("entries", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit, options=options)
    _show(request, as_json, uri, token, token_env)


def files(
    name: Name,
    where: Where = None,
    nan: NanMode = None,
    content: Annotated[
        str | None,
        typer.Option(
            metavar="CONTENT,…",
            show_default=False,
            help="Of data, position-deletes, equality-deletes, changelog; all live files if not given.",
        ),
    ] = None,
    stats: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,…", show_default=False, help="With --json: statistics of these columns, * for all."
        ),
    ] = None,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the live data and delete files of a snapshot."""
    options = {"filter": where, "nan": nan, "content": content, "stats": stats}
    request = query("files", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit, options=options)
    _show(request, as_json, uri, token, token_env)


def partitions(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the partitions of a snapshot, summed over their live files."""
    request = query("partitions", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit)
    _show(request, as_json, uri, token, token_env)


def indexes(
    name: Name,
    snapshot: SnapshotId = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the index files of a Paimon snapshot: hash indexes and deletion vectors."""
    request = query("indexes", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit)
    _show(request, as_json, uri, token, token_env)


def diff(
    name: Name,
    from_id: Annotated[int, typer.Argument(metavar="FROM", show_default=False, help="The earlier snapshot's id.")],
    to_id: Annotated[
        int | None,
        typer.Argument(metavar="TO", show_default=False, help="The later one's; the current one if not given."),
    ] = None,
    ref: Ref = None,
    as_of: AsOf = None,
    limit: Limit = None,
    _where: NoWhere = None,
    as_json: AsJson = False,
    uri: Uri = None,
    token: Token = None,
    token_env: TokenEnv = None,
) -> None:
    """List the files removed and added between two snapshots."""
    options = {"from": str(from_id)}
    request = query("diff", name, snapshot=to_id, ref=ref, as_of=as_of, limit=limit, options=options)
    _show(request, as_json, uri, token, token_env)


def _show(request: Query, as_json: bool, uri: str | None, token: str | None, token_env: str | None) -> None:
    with source(uri, token, token_env) as found:
        rows = itertools.islice(progress_until_first(found.rows(request, fail), request.table), request.limit)
        show_list(request.kind, rows, as_json=as_json)
