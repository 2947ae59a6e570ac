"""The error for a table that is not registered, or that the caller may not see: one text for both.

It suggests similar names out of the tables that the caller sees and the protocol shows. Suggestions are a hint: they
are looked for among a limited number of names, and left out if the index does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import islice

from fastapi import Request

from lakemuster.api.native.dependencies import api_of, caller_of
from lakemuster.errors import CatalogError, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.metadata.snapshot import Format

MAX_SUGGESTIONS = 3
MAX_COMPARED = 500
"""Limit of names that are compared: 10 µs to 100 µs each."""
_MAX_SHOWN = 200
_FORMATS: dict[str, Format] = {"/iceberg/": "iceberg", "/paimon/": "paimon"}
"""By path prefix: the format of the tables that the protocol shows; other paths show all."""


def table_not_found(request: Request, error: TableNotFound) -> TableNotFound:
    """The error to send: without context, and the same whether the table is hidden or missing.

    Args:
        error: as raised; its context has the name of the table, if it was asked for by name.
    """
    name = error.context.get("table")
    if not isinstance(name, str):
        return TableNotFound(error.message)
    near = () if request.method == "HEAD" else similar_names(request, name)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    return TableNotFound(f"table {name[:_MAX_SHOWN]} is not registered{hint}")


def similar_names(request: Request, name: str) -> tuple[str, ...]:
    """Names that the caller sees: those that differ in case, else in the spelling of the last level, else before it."""
    try:
        levels = parse_name(name)
        names = list(islice(_visible(request, levels), MAX_COMPARED))
    except CatalogError:
        return ()
    folded = _folded(levels)
    beside = {other[-1]: other for other in names if _folded(other)[:-1] == folded[:-1]}
    found = (
        [other for other in names if _folded(other) == folded]
        or [beside[last] for last in get_close_matches(levels[-1], beside, MAX_SUGGESTIONS)]
        or [other for other in names if _folded(other)[-1] == folded[-1]]
    )
    texts = map(format_name, found[:MAX_SUGGESTIONS])
    return tuple(text for text in texts if len(text) <= _MAX_SHOWN)


def _folded(levels: Levels) -> Levels:
    return tuple(level.casefold() for level in levels)


def _visible(request: Request, name: Levels) -> Iterator[Levels]:
    """The names like ``name`` that the caller sees and the protocol shows, but not ``name`` itself."""
    api, caller, path = api_of(request), caller_of(request), request.scope["path"]
    shown = next((own for prefix, own in _FORMATS.items() if path.startswith(prefix)), None)
    for text in api.services.similar_names(name, shown):
        levels = parse_name(text)
        is_shown = shown is None or (len(levels) > 1 and (shown == "iceberg" or "$" not in levels[-1]))
        if is_shown and levels != name and api.identity.policy.sees(caller, levels):
            yield levels
