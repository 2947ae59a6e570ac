"""Pin a table to one snapshot, so that schema, plans and executors all use the same metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lakemuster.client import Table
from lakemuster.client.choices import Choice
from lakemuster.client.errors import NotFoundError
from lakemuster.client.model import RefInfo, Row
from lakemuster.spark.errors import OptionInvalid, SnapshotReplaced
from lakemuster.spark.options import Options
from lakemuster.spark.reading.formats import RowFormat, format_reader, row_format
from lakemuster.spark.reading.model import TableToRead

MAIN = "main"


@dataclass(frozen=True, slots=True)
class PinnedTable:
    """A table and the snapshot that it is read at.

    Attributes:
        table: with the columns to read.
        snapshot_id: None for a table without snapshots, which has no rows.
        ref: the requested branch or tag of a table whose snapshot ids are unique only within a branch; else None.
        identity: see :func:`identity_of`.
    """

    table: TableToRead
    snapshot_id: int | None
    ref: str | None = None
    identity: str | None = None

    @property
    def choice(self) -> Choice:
        """The arguments that select the snapshot in a plan. A ``ref`` may move: check the plan's snapshot id."""
        chosen: Choice = {"snapshot_id": self.snapshot_id} if self.ref is None else {"ref": self.ref}
        return {**chosen, "page_size": 1}


def pin(table: Table, options: Options) -> PinnedTable:
    """Resolve the options against the table's current state.

    Raises:
        OptionInvalid: a column that the table does not have, or metadata columns of a table that is not Iceberg's.
        NotReadable: the table's format is not known.
        ClientError: the server refused or failed.
    """
    now: Choice = {**options.choice, "page_size": 1}
    snapshot_id = table.plan(limit=1, **now).snapshot_id
    info = table.info()
    rows = row_format(table.name, info.format)
    # Before the schemas: if the table is created again in between, the plan's check fails.
    identity = identity_of(table, rows, snapshot_id, options.ref)
    schemas = list(table.schemas())
    if options.metadata_columns and not rows.has_metadata_columns:
        raise OptionInvalid("metadata_columns", f"are of Iceberg tables, and {table.name} is not one")
    ref = None if options.ref is None else _ref(table, options.ref)
    branch = MAIN if ref is None else ref.branch
    own = [row for row in schemas if row["branch"] == branch]
    is_as_it_was = options.snapshot_id is not None or options.as_of is not None or (ref is not None and ref.is_tag)
    schema = _schema(table, own, snapshot_id if is_as_it_was else None, options.ref)
    to_read = TableToRead(
        name=table.name,
        format=info.format,
        schema=schema,
        schemas=tuple(schemas),
        specs=tuple(table.specs()),
        properties=dict(rows.properties(info.row, schema)),
        rewrites=_rewrites(info.row),
        columns=tuple(field["name"] for field in schema["fields"]),
        metadata_columns=options.metadata_columns,
    )
    if options.columns is not None:
        to_read = with_columns(to_read, options.columns)
    return PinnedTable(to_read, snapshot_id, options.ref if rows.has_branch_ids else None, identity)


def identity_of(table: Table, rows: RowFormat, snapshot_id: int | None, ref: str | None) -> str | None:
    """Return what tells a snapshot from others that have its id at other times; None if ids are never used again.

    Raises:
        ClientError: the server refused or failed, or has no such snapshot any more.
    """
    if snapshot_id is None or not rows.has_branch_ids:
        return None
    return rows.snapshot_identity(table.snapshot(snapshot_id, ref=ref).row)


def check_identity(table: Table, pinned: PinnedTable) -> None:
    """Check that the id of the pinned snapshot is still that of the same snapshot.

    Raises:
        SnapshotReplaced: it is not.
        ClientError: as for :func:`identity_of`.
    """
    if pinned.identity is None or pinned.snapshot_id is None:
        return
    if identity_of(table, format_reader(pinned.table), pinned.snapshot_id, pinned.ref) != pinned.identity:
        raise SnapshotReplaced(table.name, pinned.snapshot_id)


def with_columns(table: TableToRead, names: Sequence[str]) -> TableToRead:
    """Return the table with only these columns, in this order. A name matches exactly, else without regard to case.

    Raises:
        OptionInvalid: no column matches a name, or several do, or two names match one.
    """
    own = [field["name"] for field in table.schema["fields"]]
    columns = []
    for name in names:
        found = [name] if name in own else [one for one in own if one.casefold() == name.casefold()]
        if len(found) != 1:
            problem = f"of {table.name}: column {name!r:.100} not found" if not found else f"{name!r}: {found} are it"
            raise OptionInvalid("columns", f"{problem}; the table has {', '.join(own)}")
        if found[0] in columns:
            raise OptionInvalid("columns", f"of {table.name}: names column {found[0]!r:.100} twice")
        columns += found
    return replace(table, columns=tuple(columns))


def with_newest(table: TableToRead, now: Table) -> TableToRead:
    """Return the table with the current metadata, which newer files need; its columns stay."""
    info = now.info().row
    return replace(
        table,
        schemas=tuple(now.schemas()),
        specs=tuple(now.specs()),
        # With Iceberg's name mapping, which gets a column's new name.
        properties=dict(format_reader(table).properties(info, table.schema)),
        rewrites=_rewrites(info),
    )


def _rewrites(info: Row) -> tuple[tuple[str, str], ...]:
    return tuple((moved["old"], moved["new"]) for moved in info.get("rewrite") or ())


@dataclass(frozen=True, slots=True)
class _Ref:
    branch: str
    is_tag: bool


def _ref(table: Table, name: str) -> _Ref:
    """Return the branch of a ref, and whether the ref is a tag."""
    found: RefInfo | None = next((ref for ref in table.refs() if ref.name == name), None)
    if found is None:
        raise NotFoundError(f"{table.name} has no branch or tag {name!r}", code="ref_not_found", status=404)
    return _Ref(found.branch, found.type == "tag")


def _schema(table: Table, schemas: Sequence[Row], snapshot_id: int | None, ref: str | None) -> Row:
    """Return a snapshot's schema; the current one if ``snapshot_id`` is None or the snapshot's schema is unknown."""
    if snapshot_id is not None:
        schema_id = table.snapshot(snapshot_id, ref=ref).schema_id
        for row in schemas:
            if row["schema_id"] == schema_id:
                return row
    return next(row for row in schemas if row["current"])
