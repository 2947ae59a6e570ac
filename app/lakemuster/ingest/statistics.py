"""Load the statistics files of snapshots into the index: small files, such as Paimon's ``ANALYZE TABLE`` writes.

Plans do not use them, so they never fail a refresh: a file that is missing, too large or invalid is stored as empty,
and a file that storage could not return is left for the next refresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from lakemuster.errors import CatalogError, MetadataCorrupt, StorageDenied, StorageUnavailable
from lakemuster.formats.protocol import StatisticsFiles
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.statistics import find_statistics, forget_statistics, keep_statistics, known_statistics
from lakemuster.index.tables import TableRecord
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.storage.objects import ReadRequest
from lakemuster.storage.store import ObjectStore

MAX_BYTES = 4 * 2**20
MAX_FILES = 256
"""Maximum number of files that one refresh reads, the newest snapshots' first; others are read on request."""

_FILE_NAME = re.compile(r"[^/\\\x00-\x1f\x7f]+")
_PASSING = (StorageUnavailable, StorageDenied)


def refresh_statistics(
    index: Index, store: ObjectStore, table: TableRecord, root: str, snapshots: Iterable[Snapshot]
) -> None:
    """Read the files that snapshots name and the index lacks; delete from the index those that no snapshot names."""
    files = format_of(table.format).statistics
    if files is None:
        return
    table_id = table.table_id
    newest_first = sorted(snapshots, key=lambda snapshot: snapshot.committed_at_ms, reverse=True)
    named = (files.file_name(snapshot) for snapshot in newest_first)
    names = list(dict.fromkeys(name for name in named if name is not None))
    with index.database.reading() as session:
        known = known_statistics(session, table_id)
    gone = known.difference(names)
    found, _ = _read(files, store, root, [name for name in names if name not in known][:MAX_FILES])
    if found or gone:
        with index.database.session() as session:
            forget_statistics(session, table_id, gone)
            keep_statistics(session, table_id, found)


def ensure_statistics(index: Index, store: ObjectStore, table: TableRecord, root: str, name: str) -> None:
    """Read a file into the index, unless it is there; a file that can never be read is stored as empty.

    Raises:
        StorageUnavailable, StorageDenied: storage did not return it this time.
    """
    files = format_of(table.format).statistics
    if files is None:
        return
    table_id = table.table_id
    with index.database.reading() as session:
        if find_statistics(session, table_id, name) is not None:
            return
    found, failures = _read(files, store, root, [name])
    for failure in failures:
        raise failure
    with index.database.session() as session:
        keep_statistics(session, table_id, found)


def _read(
    files: StatisticsFiles, store: ObjectStore, root: str, names: Sequence[str]
) -> tuple[dict[str, bytes], list[CatalogError]]:
    """Return documents by file name, empty for files that can never be read, and the errors of those to retry."""
    documents = {name: b"" for name in names if not _FILE_NAME.fullmatch(name) or name in (".", "..")}
    locations = {files.location(root, name): name for name in names if name not in documents}
    failures: list[CatalogError] = []
    for request, outcome in store.read_many([ReadRequest(location) for location in locations], max_bytes=MAX_BYTES):
        if isinstance(outcome, _PASSING):
            failures.append(outcome)
        else:
            documents[locations[request.location]] = _checked(files, outcome)
    return documents, failures


def _checked(files: StatisticsFiles, outcome: bytes | CatalogError) -> bytes:
    if isinstance(outcome, CatalogError):
        return b""
    try:
        files.check(outcome)
    except MetadataCorrupt:
        return b""
    return outcome
