"""Register tables: one by name and location, or all below a warehouse."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lakemuster.errors import CatalogError, NotATable, ObjectMissing, RequestInvalid, TableExists
from lakemuster.formats.protocol import Pointer
from lakemuster.formats.registry import format_of
from lakemuster.index import Index
from lakemuster.index.companions import set_companion
from lakemuster.index.tables import TableRecord, add_table, list_tables
from lakemuster.ingest.companions import owner_of_metadata
from lakemuster.ingest.discover import Unreadable, find_tables, table_name
from lakemuster.ingest.pointer_doubts import warnings_of
from lakemuster.ingest.pointers import look, root_of
from lakemuster.metadata.names import format_name, parse_name
from lakemuster.metadata.snapshot import Format
from lakemuster.storage.locations import Location
from lakemuster.storage.store import ObjectStore

RewriteRules = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Discovered:
    """The outcome for one table that a walk found, or for a folder that it could not read; a folder has no format."""

    name: str
    location: str
    format: Format | None
    outcome: Literal["registered", "exists", "refused"]
    reason: str | None = None
    warnings: tuple[str, ...] = ()


def register(
    index: Index,
    store: ObjectStore,
    name: str,
    location: str,
    format: Format | None,
    rewrites: RewriteRules,
    *,
    operator: bool,
    confined_to: Sequence[str] | None = None,
    catalogs: Container[str] = (),
) -> TableRecord:
    """Register a table after a look at its location; nothing is indexed yet.

    The returned record has the token of this look, which holds its warnings; the index stores a token at the first
    refresh.

    Args:
        operator: whether the command line registers it, which allows its location and the targets of its rewrites.
        confined_to: only locations below these, within the roots, may be opened for the table, now and later.
        catalogs: attached catalogs, whose names no other table may have as its first level.

    Raises:
        RequestInvalid, LocationRefused, NotATable, TableExists, StorageError.
    """
    levels = parse_name(name)
    if levels[0] in catalogs:
        raise RequestInvalid(f"{levels[0]} is an attached catalog: its tables are that catalog's", name=levels[0])
    name = format_name(levels)
    allowed = allowed_roots(location, rewrites) if operator else ()
    if confined_to is not None:
        store = store.within(confined_to)
    for root in allowed:
        store = store.allowing(root)
    for place in (location, *(new for _, new in rewrites)):
        store.roots.admit(place)
    try:
        pointer = look(store, location, format)
    except ObjectMissing as error:
        if root_of(location) is None:
            raise
        # The request names the metadata file: nothing is wrong with the storage.
        raise NotATable(error.message, location=location) from error
    companion = _companion(store, pointer)
    if operator and companion is not None:
        # The registration was allowed to read there, so refreshes must be allowed, too.
        allowed = tuple(dict.fromkeys((*allowed, companion[0])))
    with index.database.session() as session:
        table = add_table(session, name, _trimmed(location), pointer.format, rewrites, allowed, confined_to)
        if companion is not None:
            set_companion(session, table, *companion)
        return replace(table, pointer=pointer.token)


def _companion(store: ObjectStore, pointer: Pointer) -> tuple[str, Format] | None:
    """Return the location and format of a table's companion; None if it has none yet, or it cannot be read."""
    rules = format_of(pointer.format).companion
    location = None if rules is None else rules.find(store, pointer)
    if rules is None or location is None:
        return None
    try:
        look(store, location, rules.format)
    except CatalogError:
        return None
    return location, rules.format


def allowed_roots(location: str, rewrites: RewriteRules) -> tuple[str, ...]:
    """Return the locations that an operator's registration allows: the table's root and the targets of its rewrites."""
    root = location.rstrip("/")
    root = root_of(root) or root
    return tuple(dict.fromkeys((root, *(new for _, new in rewrites))))


def _trimmed(location: str) -> str:
    return location.rstrip("/") or location


def discover(
    index: Index,
    store: ObjectStore,
    url: str,
    namespace: str | None,
    rewrites: RewriteRules,
    *,
    operator: bool,
    catalogs: Container[str] = (),
) -> Iterator[Discovered]:
    """Register every table below a URL; yield the outcome of each.

    Args:
        operator, catalogs: see :func:`register`.

    Raises:
        LocationRefused, StorageError: the walk itself fails.
    """
    if operator:
        store = store.allowing(url)
    with index.database.reading() as session:
        taken = {table.name: table for table in list_tables(session)}
    places = {table.location for table in taken.values()}
    for found in find_tables(store, url):
        levels = found.levels or (url.rstrip("/").rsplit("/", 1)[-1],)
        name = table_name(levels, namespace)
        if isinstance(found, Unreadable):
            yield Discovered(name, found.location, None, "refused", found.reason)
            continue
        owner = owner_of_metadata(store, found.location, found.format)
        if owner is not None and (owner.location.startswith(f"{url.rstrip('/')}/") or owner.location in places):
            what = f"the {format_of(found.format).title} metadata of the {owner.format.title} table at {owner.location}"
            reason = f"it is {what}, and served under that table's name"
            yield Discovered(name, found.location, found.format, "exists", reason)
            continue
        known = taken.get(name)
        if known is not None and parse_name(name)[0] not in catalogs:
            same = Location.parse(known.location) == Location.parse(found.location)
            elsewhere = None if same else f"{name} is already registered at {known.location}"
            yield Discovered(name, found.location, found.format, "exists" if same else "refused", elsewhere)
            continue
        try:
            taken[name] = register(
                index, store, name, found.location, found.format, rewrites, operator=operator, catalogs=catalogs
            )
        except TableExists as error:
            yield Discovered(name, found.location, found.format, "exists", str(error))
        except CatalogError as error:
            yield Discovered(name, found.location, found.format, "refused", str(error))
        else:
            warnings = warnings_of(taken[name].pointer)
            yield Discovered(name, found.location, found.format, "registered", warnings=warnings)
