"""Find the pointer to a table's current metadata, by the rules of its format, without reading the metadata."""

from __future__ import annotations

from lakemuster.errors import ListingUnsupported, NotATable, ObjectMissing
from lakemuster.formats.protocol import FormatPort, Pointer, token_of
from lakemuster.formats.registry import format_of, table_formats
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.store import ObjectStore


def root_of(location: str) -> str | None:
    """Return the table's root if a location names a metadata file; None otherwise."""
    return next((root for port in table_formats() if (root := port.root_of(location)) is not None), None)


def look(store: ObjectStore, location: str, format: Format | None = None) -> Pointer:
    """Find the current metadata of the table at a location.

    Args:
        location: a table's root, or an Iceberg metadata file.
        format: the table's format; None tries Paimon, whose tables may hold Iceberg metadata too, then the others.

    Raises:
        NotATable: there is no table at the location.
        FormatUnsupported: the format is not known.
        ListingUnsupported: the storage cannot list folders, and there is no other way to find the metadata.
        StorageError: the location cannot be listed; ``ObjectMissing`` if a hint names a missing file.
    """
    for port in table_formats():
        if port.root_of(location) is not None:
            info = store.stat(location)
            if info is None:
                raise ObjectMissing(f"no metadata file at {location}", location=location)
            return Pointer(port.name, location, token_of([info]))
    root = location.rstrip("/")
    tried = table_formats() if format is None else (format_of(format),)
    unlisted: ListingUnsupported | None = None
    for port in tried:
        try:
            pointer = port.find(store, root)
        except ListingUnsupported as refusal:
            unlisted = refusal
            continue
        if pointer is not None:
            return pointer
    if unlisted is not None:
        raise unlisted
    raise NotATable(f"no {_any_of(tried)} table at {location}", location=location)


def _any_of(ports: tuple[FormatPort, ...]) -> str:
    *others, last = sorted(port.title for port in ports)
    return f"{', '.join(others)} or {last}" if others else last
