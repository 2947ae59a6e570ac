"""Describe why a snapshot is quarantined (object, manifest, what was expected), and whether a retry may help."""

from __future__ import annotations

from lakemuster.errors import CatalogError, DecodeFailed, LocationRefused, MetadataCorrupt, StorageError, WrongLength
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, Snapshot
from lakemuster.storage.locations import redacted


def is_outside(error: CatalogError) -> bool:
    """Return whether the cause is in storage or in this machine, so that a retry may succeed on an unchanged table.

    Bytes that violate their format do not change; a truncated object may be complete at the next request.
    """
    return isinstance(error, StorageError | DecodeFailed | WrongLength)


def of_manifest(error: CatalogError, header: ManifestHeader, location: str, snapshot: Snapshot) -> CatalogError:
    """Describe a failure to read a manifest of a snapshot.

    Args:
        location: where it was read, after rewrites.
    """
    length = "of unknown length" if header.length is None else f"of {header.length} bytes"
    kinds = ("added", header.added_files_count), ("existing", header.existing_files_count)
    counts = [
        f"{count} {kind}" for kind, count in (*kinds, ("deleted", header.deleted_files_count)) if count is not None
    ]
    expected = f"a manifest {length}" + (f" with entries: {', '.join(counts)}" if counts else "")
    return _told(error, location, header.location, "manifest", snapshot, expected)


def of_list(
    error: CatalogError, location: str, recorded: str, snapshot: Snapshot, length: int | None = None
) -> CatalogError:
    """Describe a failure to read a manifest list, or a manifest that a snapshot names directly.

    Args:
        location: where it was read, after rewrites.
        recorded: its location in the metadata, before rewrites.
    """
    expected = "a manifest list" if length is None else f"a manifest list of {length} bytes"
    return _told(error, location, recorded, "manifest list", snapshot, expected)


def of_own_file(reason: str, root: str, snapshot: Snapshot) -> CatalogError:
    """Describe a failure to parse a Paimon snapshot's own file.

    Args:
        root: the table's root.
    """
    folder = root if snapshot.branch == MAIN else f"{root}/branch/branch-{snapshot.branch}"
    place = redacted(f"{folder}/snapshot/snapshot-{snapshot.snapshot_id}")
    return MetadataCorrupt(f"{reason} (object {place}, none of its manifests is known, expected a snapshot's JSON)")


def _told(
    error: CatalogError, location: str, recorded: str, kind: str, snapshot: Snapshot, expected: str
) -> CatalogError:
    if isinstance(error, LocationRefused):  # its message has the location, and nothing was read
        origin = "" if location == recorded else f", recorded as {redacted(recorded)}"
        return type(error)(f"{error} ({kind} of snapshot {snapshot.snapshot_id}{origin})", **error.context)
    what = f"{kind} {redacted(recorded)} of snapshot {snapshot.snapshot_id}"
    place = f"object {redacted(location)}, {what}, expected {expected}"
    return type(error)(f"{error} ({place})", **error.context)
