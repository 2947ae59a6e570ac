"""Manifest-list rows, stored once per table even if several snapshots list them."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from lakemuster.caching import cached
from lakemuster.errors import IndexUnavailable
from lakemuster.index.encoding import decode, encode
from lakemuster.index.integer_packing import unpack_members
from lakemuster.index.orm import ManifestRow, SnapshotRow
from lakemuster.index.segments import known_segments
from lakemuster.index.statements import chunks, insert_all
from lakemuster.metadata.snapshot import ManifestHeader

_HEADER = tuple(field.name for field in dataclasses.fields(ManifestHeader))
_DOCUMENTS = frozenset({"partitions", "extra_files"})
_COLUMNS = tuple(getattr(ManifestRow, name) for name in ("id", "segment", *_HEADER))
_BY_ID = select(*_COLUMNS).where(ManifestRow.id.in_(bindparam("ids", expanding=True)))


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """A row of a manifest list, and the segment that holds the manifest's entries."""

    id: int
    header: ManifestHeader
    segment: str


def manifest_ids(session: Session, table_id: int, manifests: Sequence[tuple[ManifestHeader, str]]) -> list[int]:
    """Return the row ids of (header, segment) pairs, in order; insert the missing rows.

    Raises:
        IndexUnavailable: the segment of a new row is not registered; segments of existing rows always are.
    """
    digests = [_digest(header, segment) for header, segment in manifests]
    known = _ids_of(session, table_id, digests)
    new = {digest: one for digest, one in zip(digests, manifests, strict=True) if digest not in known}
    _insert(session, {table_id: new})
    known |= _ids_of(session, table_id, list(new))
    return [known[digest] for digest in digests]


def first_manifest_ids(
    session: Session, manifests: Mapping[int, Sequence[tuple[ManifestHeader, str]]]
) -> dict[int, dict[tuple[ManifestHeader, str], int]]:
    """Insert the manifests of tables that have none yet; return the row ids by table and (header, segment) pair.

    Raises:
        IndexUnavailable: a segment is not registered.
    """
    rows = {table_id: {_digest(*one): one for one in pairs} for table_id, pairs in manifests.items()}
    _insert(session, rows)
    found: dict[int, dict[tuple[ManifestHeader, str], int]] = {table_id: {} for table_id in rows}
    for chunk in chunks(list(rows)):
        chosen = select(ManifestRow.table_id, ManifestRow.digest, ManifestRow.id).where(ManifestRow.table_id.in_(chunk))
        for table_id, digest, row_id in session.execute(chosen):
            found[table_id][rows[table_id][digest]] = row_id
    return found


def _insert(session: Session, new: Mapping[int, Mapping[bytes, tuple[ManifestHeader, str]]]) -> None:
    names = {segment for rows in new.values() for _, segment in rows.values()}
    if missing := names - known_segments(session, names):
        raise IndexUnavailable("segments of the snapshot are not registered; refresh again", segments=len(missing))
    insert_all(
        session,
        ManifestRow,
        [
            {"table_id": table_id, "digest": digest, **_values(*one)}
            for table_id, rows in new.items()
            for digest, one in rows.items()
        ],
    )


def load_manifests(session: Session, ids: Iterable[int]) -> dict[int, StoredManifest]:
    """Return the rows with these ids, by id."""
    found: dict[int, StoredManifest] = {}
    for chunk in chunks(sorted(set(ids))):
        for row in session.execute(_BY_ID, {"ids": chunk}):
            found[row[0]] = StoredManifest(row[0], _header(row[2:]), row[1])
    return found


def delete_orphans(session: Session, table_id: int, memberships: Iterable[bytes]) -> None:
    """Delete the rows listed by the given memberships that no snapshot of the table lists any more.

    Args:
        memberships: packed lists of row ids, see ``integer_packing.pack_members``.
    """
    candidates = _union(memberships)
    if not len(candidates):
        return
    remaining = session.scalars(
        select(SnapshotRow.manifests).where(SnapshotRow.table_id == table_id, SnapshotRow.manifests.is_not(None))
    )
    orphans = np.setdiff1d(candidates, _union(packed for packed in remaining if packed is not None)).tolist()
    for chunk in chunks(orphans):
        session.execute(
            delete(ManifestRow).where(ManifestRow.id.in_(chunk)).execution_options(synchronize_session=False)
        )


def _union(memberships: Iterable[bytes]) -> NDArray[np.int64]:
    union: NDArray[np.int64] = np.empty(0, np.int64)
    for packed in memberships:
        union = np.union1d(union, unpack_members(packed)[1])
    return union


def _values(header: ManifestHeader, segment: str) -> dict[str, Any]:
    row: dict[str, Any] = {"segment": segment}
    for name in _HEADER:
        value = getattr(header, name)
        row[name] = encode(value) if name in _DOCUMENTS and value is not None else value
    return row


def _header(values: Sequence[Any]) -> ManifestHeader:
    fields = dict(zip(_HEADER, values, strict=True))
    for name in _DOCUMENTS:
        if fields[name] is not None:
            fields[name] = decode(fields[name])
    return ManifestHeader(**fields)


@cached("manifest digests", lambda _: 1500)
def _digest(header: ManifestHeader, segment: str) -> bytes:
    row = _values(header, segment)
    return hashlib.sha256(repr(tuple(row.values())).encode("utf-8", "surrogatepass")).digest()


def _ids_of(session: Session, table_id: int, digests: Sequence[bytes]) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for chunk in chunks(digests):
        rows = session.execute(
            select(ManifestRow.digest, ManifestRow.id).where(
                ManifestRow.table_id == table_id, ManifestRow.digest.in_(chunk)
            )
        )
        found.update((digest, row_id) for digest, row_id in rows)
    return found
