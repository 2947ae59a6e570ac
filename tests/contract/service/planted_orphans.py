"""Bugs planted in the search for orphan files. Each makes the search report a file in use or miss an orphan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakemuster.catalog import references as catalog_references
from lakemuster.catalog.orphans import searches
from lakemuster.catalog.orphans.known_files import KnownFiles
from lakemuster.formats.iceberg.inventory import IcebergInventory
from lakemuster.formats.paimon.inventory import PaimonInventory
from lakemuster.metadata.files import ADDED
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.planner.iceberg import references as iceberg
from lakemuster.storage import reference_keys

Plant = Callable[[pytest.MonkeyPatch], None]


def _documents(inventory: type, kind: str) -> Plant:
    """Return a bug that omits an inventory's documents of one kind."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = inventory.documents  # type: ignore[attr-defined]
        patch.setattr(inventory, "documents", lambda *given: (one for one in right(*given) if one[0] != kind))

    return plant


def _the_log(patch: pytest.MonkeyPatch) -> None:
    from lakemuster.formats.iceberg import inventory

    patch.setattr(inventory, "_metadata_files", lambda table: [table.metadata.metadata_location])


def _rows(table_format: str, forgotten: Callable[[pa.RecordBatch], pa.Array]) -> Plant:
    """Return a bug that omits references."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        rules = HISTORY_RULES._rules[table_format]

        def less(*given: Any) -> Iterator[pa.RecordBatch]:
            for batch in rules.references(*given):
                yield batch.filter(pc.invert(forgotten(batch)))

        patch.setitem(HISTORY_RULES._rules, table_format, replace(rules, references=less))

    return plant


def _of_kind(kind: str) -> Callable[[pa.RecordBatch], pa.Array]:
    return lambda batch: pc.equal(batch.column("kind"), kind)


def _outside(batch: pa.RecordBatch) -> pa.Array:
    """Select references to external files: by location alone, or by a name in any folder."""
    return pc.or_(pc.is_null(batch.column("name")), pc.equal(batch.column("location"), ""))


def _records(table_format: str, kept: Callable[[Any], list[Any]]) -> Plant:
    """Return a bug that omits snapshots."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        rules = HISTORY_RULES._rules[table_format]

        def less(index: Any, state: Any) -> Iterator[pa.RecordBatch]:
            yield from rules.references(index, replace(state, records=kept(state)))

        patch.setitem(HISTORY_RULES._rules, table_format, replace(rules, references=less))

    return plant


def _current(state: Any) -> list[Any]:
    return [one for one in state.records if one.snapshot.snapshot_id == state.metadata.current_snapshot_id]


def _not_of(source: str) -> Callable[[Any], list[Any]]:
    return lambda state: [one for one in state.records if one.snapshot.source != source]


def _of_main(state: Any) -> list[Any]:
    return [one for one in state.records if one.snapshot.branch == "main"]


def _no_age(patch: pytest.MonkeyPatch) -> None:
    right = searches._Search._counted

    def counted(self: Any, page: Any, report: Any) -> Any:
        own = replace(report, older_than_ms=0)
        return right(self, page, own)

    patch.setattr(searches._Search, "_counted", counted)


def _by_modified(patch: pytest.MonkeyPatch) -> None:
    """Use the age in seconds as milliseconds."""
    right = searches._Search._counted
    patch.setattr(
        searches._Search,
        "_counted",
        lambda self, page, report: right(self, page, replace(report, older_than_ms=report.older_than_ms // 1000)),
    )


def _as_written(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(searches, "comparable", lambda location: location)


def _no_decoding(patch: pytest.MonkeyPatch) -> None:
    from lakemuster.storage import spelling

    patch.setattr(spelling, "_decoded", lambda text: text)


def _live_is_added(patch: pytest.MonkeyPatch) -> None:
    """Treat only added entries as live."""
    patch.setattr(pc, "not_equal", lambda column, _: pc.equal(column, ADDED))


def _deleted_too(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(iceberg, "DELETED", -1)


def _first_table(patch: pytest.MonkeyPatch) -> None:
    right = catalog_references._Question.whole_tables
    patch.setattr(catalog_references._Question, "whole_tables", lambda self: right(self)[:-1])


def _cut_listing(patch: pytest.MonkeyPatch) -> None:
    from lakemuster.storage import local_walk

    right = local_walk._children

    def children(folder: str, *, is_first: bool) -> Iterable[Any]:
        return list(right(folder, is_first=is_first))[:5]

    patch.setattr(local_walk, "_children", children)


def _names_nowhere(patch: pytest.MonkeyPatch) -> None:
    """Look up names only in the file's own folder."""
    patch.setattr(reference_keys, "_folders", lambda folder: iter([folder]))


def _few_bits(patch: pytest.MonkeyPatch) -> None:
    """Reduce keys to eight bits."""
    right = KnownFiles.hold
    patch.setattr(KnownFiles, "hold", lambda self, keys: right(self, keys) | (keys % 256 < 64))


PLANTED: dict[str, Plant] = {
    "statistics of Iceberg": _documents(IcebergInventory, "statistics"),
    "version hints": _documents(IcebergInventory, "version-hint"),
    "the metadata log": _the_log,
    "manifest lists of Iceberg": _rows("iceberg", _of_kind("manifest-list")),
    "manifests of Iceberg": _rows("iceberg", _of_kind("manifest")),
    "snapshots before the current one": _records("iceberg", _current),
    "existing entries": _live_is_added,
    "deleted entries count": _deleted_too,
    "manifest lists of Paimon": _rows("paimon", _of_kind("manifest-list")),
    "manifests of Paimon": _rows("paimon", _of_kind("manifest")),
    "statistics of Paimon": _rows("paimon", _of_kind("statistics")),
    "external files": _rows("paimon", _outside),
    "snapshots that tags keep": _records("paimon", _not_of("tag")),
    "snapshots that changelogs keep": _records("paimon", _not_of("changelog")),
    "snapshots of branches": _records("paimon", _of_main),
    "files of tags": _documents(PaimonInventory, "tag"),
    "consumers": _documents(PaimonInventory, "consumer"),
    "snapshot files and hints": _documents(PaimonInventory, "snapshot"),
    "no age": _no_age,
    "an age of another unit": _by_modified,
    "spellings as written": _as_written,
    "no percent-decoding": _no_decoding,
    "a table": _first_table,
    "a cut listing": _cut_listing,
    "names in one folder alone": _names_nowhere,
    "keys that coincide": _few_bits,
}
