"""Where the tables of a namespace may live: what the server's operator says beside the roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakemuster.errors import LocationForbidden
from lakemuster.storage.locations import Location

Rule = Callable[[str], Sequence[str] | None]


class Confines:
    """The locations of each table's namespace, as they are now.

    Attributes:
        rule: given a table's name, the URL prefixes that it may live under; None: all roots.
    """

    def __init__(self) -> None:
        self.rule: Rule = _anywhere

    def require(self, name: str, location: str, allowed: Sequence[str]) -> None:
        """Make sure that a table may live where it does.

        Args:
            allowed: what the operator allowed for this table beyond the roots; it stands.

        Raises:
            LocationForbidden: its namespace's locations do not hold it.
        """
        prefixes = self.rule(name)
        if prefixes is None:
            return
        place = Location.parse(location)
        if not any(place.lies_within(Location.parse(prefix)) for prefix in (*prefixes, *allowed)):
            raise LocationForbidden(f"{name} lies outside the locations of its namespace", table=name)


def _anywhere(_: str) -> None:
    return None
