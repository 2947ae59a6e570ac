"""The list of namespaces, with the totals of their tables."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from lakemuster.catalog.listings import DocumentListing, sorted_documents
from lakemuster.catalog.services import Services
from lakemuster.catalog.table_lists import direction
from lakemuster.errors import RequestInvalid
from lakemuster.index.namespace_lists import NamespaceRecord, list_namespaces
from lakemuster.index.table_record import FIGURES
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.wire.documents import NAMESPACES, Document
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.tables import NamespaceOut

SORTS = {
    **{name: name for name in ("name", "tables", "unknown_tables")},
    **{name.removesuffix("_ms"): f"figures.{name}" for name in FIGURES},
}
"""The attribute to sort namespaces by, for each field of a row."""


def namespace_listing(
    services: Services,
    sees: Callable[[Levels], bool] | None,
    *,
    search: str | None = None,
    sort: str | None = None,
    order: str | None = None,
) -> DocumentListing[NamespaceRecord]:
    """List the namespaces of registered tables.

    Args:
        sees: whether the caller may see a table of this name; None if it may see every table.
        search: a substring of their names, case-insensitive.
        sort, order: see ``direction``.

    Raises:
        RequestInvalid: namespaces cannot be sorted by that field.
    """
    field, descending = direction(sort or "name", order)
    if field not in SORTS:
        raise RequestInvalid(f"namespaces are sorted by one of {', '.join(SORTS)}", sort=field)
    with services.index.database.reading() as session:
        found = list_namespaces(session)
    if search is not None:
        found = [one for one in found if search.lower() in one.name.lower()]
    shown = [one for one in found if sees is None or sees((*_levels(one.name), "table"))]
    upstreams = services.refresher.upstreams

    def document(one: NamespaceRecord) -> Document:
        levels = _levels(one.name)
        figures = {name: getattr(one.figures, name) for name in FIGURES[:-1]}
        at_ms = one.figures.last_committed_at_ms
        return NamespaceOut(
            name=one.name,
            catalog=levels[0] if levels and levels[0] in upstreams else None,
            tables=one.tables,
            unknown_tables=one.unknown_tables,
            **figures,
            last_committed_at=None if at_ms is None else format_instant(at_ms),
        ).model_dump(mode="json")

    value = attrgetter(SORTS[field])
    return sorted_documents(NAMESPACES, shown, value, lambda one: (one.name,), document, descending=descending)


def _levels(namespace: str) -> Levels:
    return parse_name(namespace) if namespace else ()
