"""Views: one table at one snapshot, as plans and lists read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lakemuster.formats.paimon.options import evolves_data
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, TableMetadata


@dataclass(frozen=True, slots=True)
class Selector:
    """The snapshot that a caller requests; all None means the current snapshot of main."""

    snapshot_id: int | None = None
    ref: str | None = None
    as_of_ms: int | None = None


CURRENT = Selector()


@dataclass(frozen=True)
class SecondBranch:
    """Another branch of a Paimon table from which a scan also reads some partitions.

    Attributes:
        option: the table option that names the branch.
        branch: the branch's name.
        is_first: whether the branch's partitions take precedence over the table's own; otherwise the reverse.
        view: the branch at its snapshot; None while it has none.
        problem: why the requested snapshot of the table cannot be read from the branch; None when it can.
    """

    option: str
    branch: str
    is_first: bool
    view: View | None = None
    problem: str | None = None


@dataclass(frozen=True)
class View:
    """A table, its metadata and the snapshot to read.

    Attributes:
        snapshot: the snapshot to read; None for a table or branch without snapshots.
        stale: why a newer snapshot, or the table's pointer, could not be read; None when fresh.
        schema_id: the schema to read with; the snapshot's own if None. The current state of a table or branch has its
            newest columns, even if nothing was written since they changed.
        second_branch: a branch from which scans also read some partitions.
        branch: the branch that has no snapshots.
    """

    table: TableRecord
    metadata: TableMetadata
    snapshot: SnapshotRecord | None
    stale: str | None = None
    schema_id: int | None = None
    second_branch: SecondBranch | None = None
    branch: str = MAIN

    @property
    def snapshot_id(self) -> int | None:
        """The snapshot's id."""
        return None if self.snapshot is None else self.snapshot.snapshot.snapshot_id

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """All schemas of the snapshot's branch: first the one to read with, then from newest to oldest."""
        branch = self.branch if self.snapshot is None else self.snapshot.snapshot.branch
        schemas = self.metadata.branch_schemas.get(branch, self.metadata.schemas)
        wanted = self.metadata.current_schema_id
        if self.snapshot is not None and self.snapshot.snapshot.schema_id is not None:
            wanted = self.snapshot.snapshot.schema_id
        if self.schema_id is not None:
            wanted = self.schema_id
        newest_first = sorted(schemas, key=lambda schema: schema.schema_id, reverse=True)
        return tuple(sorted(newest_first, key=lambda schema: schema.schema_id != wanted))

    @property
    def written_schemas(self) -> tuple[Schema, ...] | None:
        """The schemas that files were written with; None where a file may lack columns of its schema."""
        return None if evolves_data(self.schemas[0]) else self.schemas

    @cached_property
    def names(self) -> dict[int, str]:
        """Column names by field id; those of dropped columns come from older schemas."""
        names: dict[int, str] = {}
        for schema in reversed(self.schemas):
            names.update(schema.names)
        return names
