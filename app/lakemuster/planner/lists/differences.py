"""The difference between two snapshots: files added and removed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.index import Index
from lakemuster.planner.columns import single_array
from lakemuster.planner.list_rules import LIST_RULES
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import START, Position, conform

_IDENTITY = ("file_path", "file_name", "content_offset", "level", "bucket", "external_path")


@dataclass(frozen=True)
class DiffSource:
    """Files removed from ``old``, then files added in ``new``. Manifests that both share are skipped if possible."""

    index: Index
    old: EntrySource
    new: EntrySource
    key: str = "diff"

    @property
    def snapshot_id(self) -> int | None:
        """The newer snapshot's id."""
        return self.new.snapshot_id

    @cached_property
    def schema(self) -> pa.Schema:
        """``change`` (``added`` or ``removed``) and a file's columns."""
        return pa.schema([pa.field("change", pa.string()), *self.new.schema])

    @cached_property
    def _unshared(self) -> tuple[list[ManifestPart], list[ManifestPart]]:
        if LIST_RULES.of(self.old.view.table).cancels_entries:
            # A shared manifest may hold entries that only one of the two snapshots cancels.
            return list(self.old.parts), list(self.new.parts)
        old = {part.manifest.id for part in self.old.parts}
        new = {part.manifest.id for part in self.new.parts}
        return (
            [part for part in self.old.parts if part.manifest.id not in new],
            [part for part in self.new.parts if part.manifest.id not in old],
        )

    @cached_property
    def _identities(self) -> tuple[pa.Array, pa.Array]:
        old, new = self._unshared
        return _identities(self.old, old), _identities(self.new, new)

    def batches(self, start: Position = START) -> Iterator[tuple[Position, pa.RecordBatch]]:
        """Yield removed files by old manifest, then added files by new manifest."""
        old_parts, new_parts = self._unshared
        old_ids, new_ids = self._identities
        plan = [("removed", self.old, part, new_ids) for part in old_parts]
        plan += [("added", self.new, part, old_ids) for part in new_parts]
        for number in range(start.part, len(plan)):
            change, source, part, others = plan[number]
            kept = source.listed(part)
            changed = kept.filter(pc.invert(pc.is_in(identity(kept), value_set=others)))
            offset = start.offset if number == start.part else 0
            for at in range(offset, changed.num_rows, 8192):
                rows = conform(source.row_projection.rows(part, changed.slice(at, 8192)), self.new.schema)
                arrays = [pa.repeat(change, rows.num_rows), *rows.columns]
                yield Position(number, at), pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _identities(source: EntrySource, parts: list[ManifestPart]) -> pa.Array:
    found = [identity(source.listed(part)) for part in parts]
    return pa.concat_arrays(found) if found else pa.array([], pa.string())


def identity(table: pa.Table) -> pa.Array:
    """Return a text for each entry, equal for two entries of the same file.

    Segments leave out columns of nulls only: a null and a missing column give the same text.
    """
    names = [name for name in _IDENTITY if name in table.column_names]
    if "bucket" in names:
        names += sorted(
            name
            for name in table.column_names
            if name.startswith("partition.") and not pa.types.is_binary(table.schema.field(name).type)
        )
    path, *others = (single_array(table.column(name)).cast(pa.string()) for name in names)
    members = [
        pc.fill_null(pc.binary_join_element_wise(f"\x1f{name}=", text, ""), "")
        for name, text in zip(names[1:], others, strict=True)
    ]
    return pc.binary_join_element_wise(path, *members, "")
