"""Confinement of tables to the locations of their namespace, which the operator sets in addition to the roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakemuster.errors import LocationForbidden
from lakemuster.storage.locations import Location

Rule = Callable[[str], Sequence[str] | None]


class NamespaceConfinement:
    """The locations of each table's namespace, as currently configured.

    Attributes:
        rule: returns the URL prefixes below which a table of a given name may be; None for all roots.
    """

    def __init__(self) -> None:
        self.rule: Rule = _anywhere

    def require(self, name: str, location: str, allowed: Sequence[str]) -> None:
        """Check that a table's location is allowed.

        Args:
            allowed: roots that the operator allowed for this table in addition; always accepted.

        Raises:
            LocationForbidden: the location is outside the locations of the table's namespace.
        """
        prefixes = self.rule(name)
        if prefixes is None:
            return
        place = Location.parse(location)
        if not any(place.lies_within(Location.parse(prefix)) for prefix in (*prefixes, *allowed)):
            raise LocationForbidden(f"{name} is outside the locations of its namespace", table=name)


def _anywhere(_: str) -> None:
    return None
