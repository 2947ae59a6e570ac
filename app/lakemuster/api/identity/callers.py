"""Callers and their grants: a role over patterns of namespaces."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.name_patterns import level_matches
from lakemuster.metadata.names import Levels, parse_name

Role = Literal["read", "index", "admin"]
"""``read`` sees tables, ``index`` may also refresh them, ``admin`` may also add and remove them."""
ROLES: tuple[Role, ...] = get_args(Role)
RANK: dict[Role, int] = {role: rank for rank, role in enumerate(ROLES)}

_CATALOG = re.compile(r"catalog:(?P<name>[a-z0-9_-]+)/(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A namespace and all below it. In each level, ``*`` matches any characters.

    Attributes:
        levels: the levels of the namespace; empty: a whole catalog.
        catalog: the attached catalog that holds the namespace; None: our own tables.
    """

    levels: Levels
    catalog: str | None = None

    @classmethod
    def of(cls, text: str) -> Pattern:
        """Parse ``ns.level``, or ``catalog:NAME/ns.level`` for tables of an attached catalog.

        Raises:
            RequestInvalid: it is neither.
        """
        if not text.startswith("catalog:"):
            return cls(parse_name(text))
        found = _CATALOG.fullmatch(text)
        if found is None:
            raise RequestInvalid("write catalog:NAME/namespace, or catalog:NAME/* for all of its namespaces", name=text)
        return cls(parse_name(found["rest"]) if found["rest"] else (), found["name"])

    def covers(self, table: Levels, catalog: str | None = None) -> bool:
        """Return whether a table is in the namespace or below it."""
        depth = len(self.levels)
        return self.catalog == catalog and len(table) > depth and all(map(level_matches, self.levels, table))

    def reaches(self, namespace: Levels, catalog: str | None = None) -> bool:
        """Return whether the namespace is this one, a descendant or an ancestor."""
        return self.catalog == catalog and all(map(level_matches, self.levels, namespace))

    def includes(self, namespace: Levels) -> bool:
        """Return whether a namespace of our own tables is this one or a descendant."""
        depth = len(self.levels)
        return self.catalog is None and len(namespace) >= depth and all(map(level_matches, self.levels, namespace))


@dataclass(frozen=True, slots=True)
class Grant:
    """A role over tables.

    Attributes:
        patterns: the namespaces of the tables; None: all tables.
        locations: where tables added by this grant may live; empty: the locations of the tokens file apply.
    """

    role: Role
    patterns: tuple[Pattern, ...] | None = None
    locations: tuple[str, ...] = ()

    @classmethod
    def of(cls, role: Role, namespaces: Iterable[str] | None, locations: Iterable[str] = ()) -> Grant:
        """Parse the patterns of a grant. Raises: RequestInvalid: one is not a dotted name."""
        return cls(role, None if namespaces is None else tuple(map(Pattern.of, namespaces)), tuple(locations))

    def covers(self, table: Levels, catalog: str | None = None) -> bool:
        """Return whether the role holds for a table."""
        return self.patterns is None or any(pattern.covers(table, catalog) for pattern in self.patterns)

    def covers_all(self, namespace: Levels, catalog: str | None = None) -> bool:
        """Return whether the role holds for every table in a namespace and below it."""
        # A pattern covers this name only if it is no longer than the namespace: then it covers all names there.
        return self.covers((*namespace, "\0"), catalog)

    def reaches(self, namespace: Levels, catalog: str | None = None) -> bool:
        """Return whether the role holds for some table in a namespace or below it."""
        return self.patterns is None or any(pattern.reaches(namespace, catalog) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Caller:
    """An authenticated caller. Only ``policy`` decides by its grants.

    Attributes:
        name: unique over all authenticators; ``anonymous`` if the server has none. Page tokens are bound to it.
        generation: version of the tokens file. It is in the response cache's key, so a reload invalidates responses.
    """

    name: str
    grants: tuple[Grant, ...]
    generation: int = 0


ANYONE = Caller("anonymous", (Grant("admin"),))


def forwarded_caller(catalog: str) -> Caller:
    """Return a caller who signs in at an attached catalog: the catalog decides on each of its tables."""
    return Caller(f"catalog:{catalog}", (Grant("read", (Pattern((), catalog),)),))


def parse_role(text: str) -> Role:
    """Parse the name of a role. Raises: RequestInvalid."""
    for role in ROLES:
        if text == role:
            return role
    raise RequestInvalid(f"a role is one of {', '.join(ROLES)}")
