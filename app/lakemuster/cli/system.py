"""The command that lists the rows of Paimon's system tables."""

from __future__ import annotations

import itertools
from typing import Annotated

import typer

from lakemuster.cli.application import fail
from lakemuster.cli.options import AsJson, AsOf, Limit, Name, NoWhere, Ref, SnapshotId, Token, TokenEnv, Uri
from lakemuster.cli.output import show_list
from lakemuster.cli.progress import progress_until_first
from lakemuster.cli.sources import query, source


def system(
    system_table: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM_TABLE",
            show_default=False,
            help="What stands behind the $ in Paimon: snapshots, schemas, options, tags, branches, consumers, "
            "aggregation_fields, manifests, files, file_key_ranges, partitions, buckets, table_indexes, statistics.",
        ),
    ],
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
    """List one of a Paimon table's system tables, in Paimon's own columns."""
    options = {"name": system_table}
    request = query("system", name, snapshot=snapshot, ref=ref, as_of=as_of, limit=limit, options=options)
    with source(uri, token, token_env) as found:
        rows = itertools.islice(progress_until_first(found.rows(request, fail), request.table), request.limit)
        show_list(f"${system_table}", rows, as_json=as_json)
