"""Read the manifest lists of snapshots, of one table or of several together.

Small tables have one small list each: they share tasks of the decoders, as small manifests do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from lakemuster.errors import CatalogError, IndexUnavailable, StorageDenied, StorageUnavailable
from lakemuster.ingest.decode import DecoderPool
from lakemuster.ingest.engine import through_decoders
from lakemuster.ingest.work import PackedMetadata, Task, decode_list, describe_inline
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot
from lakemuster.storage.locations import Rewrites
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import Contents, ObjectStore

RETRYABLE = (StorageUnavailable, StorageDenied, IndexUnavailable)
"""Errors that say nothing about a table: its lists and manifests could not be read now."""


@dataclass(frozen=True, slots=True)
class TableLists:
    """The manifest lists of some snapshots of one table, to read.

    Attributes:
        store: reads the locations that the table's metadata names.
    """

    store: ObjectStore
    rewrites: Rewrites
    metadata: PackedMetadata
    snapshots: Sequence[Snapshot]


@dataclass(slots=True)
class ReadLists:
    """The contents of the manifest lists of one table.

    Attributes:
        headers: the manifests of each list or inline manifest, or why it is invalid, by its recorded location.
        lengths: the bytes of each list that was fetched, by its recorded location.
    """

    headers: dict[str, list[ManifestHeader] | CatalogError] = field(default_factory=dict)
    lengths: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A manifest list, or an inline manifest of a snapshot, at its recorded location."""

    location: str
    branch: str
    inline: Snapshot | None = None


def read_lists(pool: DecoderPool, tables: Sequence[TableLists]) -> list[ReadLists | CatalogError]:
    """Fetch and decode manifest lists. Once a list of a table cannot be read now, the others are not waited for.

    Returns:
        for each table its lists, or the error of ``RETRYABLE`` for which one could not be read now.
    """
    wanted = [_requests(table) for table in tables]
    found = [ReadLists() for _ in tables]
    errors: dict[int, CatalogError] = {}

    def task_of(key: tuple[int, ReadRequest], data: Contents) -> Task[list[ManifestHeader]]:
        number, request = key
        one, metadata = wanted[number][request], tables[number].metadata
        if one.inline is not None:
            return partial(describe_inline, data, one.location, one.inline, metadata)
        found[number].lengths[one.location] = len(data)
        return partial(decode_list, data, metadata, one.branch)

    def fetched() -> Iterator[tuple[tuple[int, ReadRequest], Contents | CatalogError]]:
        for number, table in enumerate(tables):
            for request, contents in table.store.admit_many(list(wanted[number])):
                yield (number, request), contents
                if number in errors:
                    break

    for (number, request), outcome in through_decoders(pool, fetched(), task_of):
        if isinstance(outcome, RETRYABLE):
            errors[number] = outcome
        else:
            found[number].headers[wanted[number][request].location] = outcome
    return [errors.get(number, lists) for number, lists in enumerate(found)]


def _requests(table: TableLists) -> Mapping[ReadRequest, _Listed]:
    # By recorded location first: several snapshots may have the same list.
    found: dict[str, tuple[ReadRequest, _Listed]] = {}
    for snapshot in table.snapshots:
        for ref in snapshot.manifest_lists:
            if ref.role != "index":
                request = ReadRequest(table.rewrites.apply(ref.location), ref.length)
                found[ref.location] = request, _Listed(ref.location, snapshot.branch)
        for location in snapshot.inline_manifests:
            request = ReadRequest(table.rewrites.apply(location))
            found[location] = request, _Listed(location, snapshot.branch, snapshot)
    return dict(found.values())
