"""The error for a table that is not registered, or that the caller may not see: one text for both.

It suggests similar names of tables that the caller may see. Suggestions are best effort: only a limited number of names
is compared, and there are none if the index does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Protocol

from lakemuster.errors import CatalogError, TableNotFound
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.metadata.snapshot import Format

MAX_SUGGESTIONS = 3
MAX_COMPARED = 500
"""Maximum names that are compared; each takes 10 µs to 100 µs."""
_MAX_SHOWN = 200


class Names(Protocol):
    """Finds the names of registered tables, as :class:`Services` does."""

    def similar_names(self, name: Levels, format: Format | None) -> list[str]:
        """Return the names of registered tables that resemble a name; see :meth:`Services.similar_names`."""
        ...


def _all(_: Levels) -> bool:
    return True


def not_registered(
    names: Names, name: str, *, format: Format | None = None, is_visible: Callable[[Levels], bool] = _all
) -> TableNotFound:
    """Return the error for a missing table, which suggests similar visible names.

    Args:
        format: the format of the tables to suggest; None for any.
        is_visible: whether the caller may learn that a table exists.
    """
    near = similar_names(names, name, format=format, is_visible=is_visible)
    return without_suggestions(name, f" (did you mean {' or '.join(near)}?)" if near else "")


def without_suggestions(name: str, hint: str = "") -> TableNotFound:
    """Return the error for a missing table without a search for similar names."""
    return TableNotFound(f"table {name[:_MAX_SHOWN]} is not registered{hint}")


def similar_names(
    names: Names, name: str, *, format: Format | None = None, is_visible: Callable[[Levels], bool] = _all
) -> tuple[str, ...]:
    """Return visible names that differ only in case, or else in the last level's spelling, or else in other levels."""
    try:
        levels = parse_name(name)
        others = map(parse_name, names.similar_names(levels, format))
        visible = islice((other for other in others if other != levels and is_visible(other)), MAX_COMPARED)
        found = _nearest(levels, list(visible))
    except CatalogError:
        return ()
    texts = map(format_name, found)
    return tuple(text for text in texts if len(text) <= _MAX_SHOWN)


def _nearest(levels: Levels, names: Iterable[Levels]) -> list[Levels]:
    folded = _folded(levels)
    beside = {other[-1]: other for other in names if _folded(other)[:-1] == folded[:-1]}
    found = (
        [other for other in names if _folded(other) == folded]
        or [beside[last] for last in get_close_matches(levels[-1], beside, MAX_SUGGESTIONS)]
        or [other for other in names if _folded(other)[-1] == folded[-1]]
    )
    return found[:MAX_SUGGESTIONS]


def _folded(levels: Levels) -> Levels:
    return tuple(level.casefold() for level in levels)
