"""Authorization: who may do what to which table. Every route, list and stream calls it, and nothing else decides.

A table outside of a caller's grants does not exist for it: it gets the same TableNotFound as for a missing one. A
caller without the role for any table gets NotAuthorised before a table is named, so neither response shows whether a
table is registered.

A grant over namespaces may add tables only at locations that are named: by the grant itself, or by a ``[[namespace]]``
entry of the tokens file that is one of its namespaces, or below one. The entries apply to every table of a
namespace, no matter who adds it, except tables that the operator adds at the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal

from lakemuster.api.identity.callers import ANYONE, RANK, Caller, Grant, Role
from lakemuster.errors import NotAuthorised, TableNotFound
from lakemuster.metadata.names import Levels, format_name
from lakemuster.storage.locations import Location

Action = Literal["read", "refresh", "register", "remove", "write", "operate", "survey"]
"""``write`` changes an attached catalog with this server's principal; ``operate`` is about the server itself;
``survey`` reads what is below a location."""
ROLE_OF: dict[Action, Role] = {
    "read": "read",
    "refresh": "index",
    "register": "admin",
    "remove": "admin",
    "write": "admin",
    "operate": "admin",
    "survey": "admin",
}

Locations = Mapping[Levels, tuple[str, ...]]
"""The locations below which the tables of a namespace may live, by namespace."""


def innermost(locations: Locations, table: Levels) -> tuple[Levels, tuple[str, ...]] | None:
    """Return the innermost namespace of a table with locations, and its locations; None: no namespace has any."""
    for depth in range(len(table) - 1, 0, -1):
        found = locations.get(table[:depth])
        if found is not None:
            return table[:depth], found
    return None


def nowhere() -> Locations:
    """Return no locations."""
    return {}


class Policy:
    """Decides by a caller's grants.

    Args:
        locations: returns the locations of namespaces, as currently configured.
        catalogs: names of attached catalogs: a table whose first level is one of them belongs to that catalog.
        forwarding: the attached catalogs at which callers sign in.
    """

    def __init__(
        self,
        locations: Callable[[], Locations] = nowhere,
        catalogs: Collection[str] = (),
        forwarding: Collection[str] = (),
    ) -> None:
        self._locations = locations
        self._catalogs = frozenset(catalogs)
        self._forwarding = frozenset(forwarding)

    def require(self, caller: Caller, action: Action, table: Levels | None = None) -> None:
        """Require that a caller may perform an action.

        Args:
            table: the table of the request; None: it is about none, or about any that the caller sees.

        Raises:
            NotAuthorised: the caller lacks the action's role for every table, or for this one, which it sees; or it has
                no role at all.
            TableNotFound: the table does not exist for this caller, whether or not it is registered.
        """
        if table is None:
            self._require_rank(caller.grants, ROLE_OF[action])
            return
        self._require_rank(caller.grants, ROLE_OF["read"])
        grants = self._grants(caller, table)
        if not grants:
            raise TableNotFound("the table is not registered", table=format_name(table))
        self._require_rank(grants, ROLE_OF[action])

    def sees(self, caller: Caller, table: Levels) -> bool:
        """Return whether a table exists for this caller."""
        return bool(self._grants(caller, table))

    def sees_all(self, caller: Caller) -> bool:
        """Return whether every table exists for this caller."""
        is_closed = bool(self._forwarding) and caller.name == ANYONE.name
        return not is_closed and any(grant.patterns is None for grant in caller.grants)

    def may(self, caller: Caller, action: Action, table: Levels) -> bool:
        """Return whether a caller has the action's role for a table."""
        return any(RANK[grant.role] >= RANK[ROLE_OF[action]] for grant in self._grants(caller, table))

    def may_all(self, caller: Caller, action: Action, above: Levels) -> bool:
        """Return whether a caller has the action's role for every table below a namespace, or a catalog."""
        catalog, namespace = self._split(above)
        return any(
            RANK[grant.role] >= RANK[ROLE_OF[action]] and grant.covers_all(namespace, catalog)
            for grant in self._open(caller, catalog)
        )

    def require_all(self, caller: Caller, action: Action, above: Levels) -> None:
        """Require that a caller may perform an action on every table below a namespace, or a catalog.

        Raises:
            NotAuthorised: the caller lacks the action's role for some of them.
        """
        if not self.may_all(caller, action, above):
            raise NotAuthorised(
                f"this token needs {ROLE_OF[action]} for all of {format_name(above)}", needs=ROLE_OF[action]
            )

    def require_everything(self, caller: Caller, action: Action) -> None:
        """Require that a caller may perform an action on all tables.

        Raises:
            NotAuthorised: the caller lacks the action's role for some.
        """
        needed = ROLE_OF[action]
        has_role = any(grant.patterns is None and RANK[grant.role] >= RANK[needed] for grant in caller.grants)
        if not (has_role and self.sees_all(caller)):
            raise NotAuthorised(f"this token needs {needed} for all tables", needs=needed)

    def sees_namespace(self, caller: Caller, namespace: Levels) -> bool:
        """Return whether a caller may see some table in a namespace, or below it."""
        catalog, levels = self._split(namespace)
        return any(grant.reaches(levels, catalog) for grant in self._open(caller, catalog))

    def confinement(self, caller: Caller, table: Levels) -> tuple[str, ...] | None:
        """Return the locations under which a caller may register a table; None: all roots.

        Raises:
            NotAuthorised: the caller may not register a table of that name, or has no location for it.
        """
        self.require(caller, "register")
        grants = [grant for grant in self._grants(caller, table) if grant.role == "admin"]
        if not grants:
            raise NotAuthorised("the name is outside this token's namespaces", needs="namespace")
        found = innermost(self._locations(), table)
        if any(grant.patterns is None and not grant.locations for grant in grants):
            return None if found is None else found[1]
        places = [place for grant in grants for place in grant.locations]
        if found is not None and any(_includes(grant, found[0]) for grant in grants if not grant.locations):
            places += found[1]
        if not places:
            raise NotAuthorised(
                "this token may not register tables in this namespace: the tokens file has no locations for it",
                needs="locations",
            )
        return tuple(dict.fromkeys(places))

    def require_location(self, caller: Caller, action: Action, location: Location) -> None:
        """Require that a caller may perform an action below a location; :meth:`may` decides on each table there.

        Raises:
            NotAuthorised: the caller has the action's role neither for all tables nor for tables of that location.
        """
        self.require(caller, action)
        own = [grant for grant in caller.grants if RANK[grant.role] >= RANK[ROLE_OF[action]]]
        if self.sees_all(caller) and any(grant.patterns is None and not grant.locations for grant in own):
            return
        places = [place for grant in own for place in grant.locations]
        for namespace, locations in self._locations().items():
            if any(_includes(grant, namespace) for grant in own if not grant.locations):
                places += locations
        if not any(location.lies_within(Location.parse(place)) for place in places):
            raise NotAuthorised("this token has no role for this location; the request needs admin", needs="admin")

    def _split(self, levels: Levels) -> tuple[str | None, Levels]:
        """Return the attached catalog and the levels there; a catalog of None means our own tables."""
        return (levels[0], levels[1:]) if levels[0] in self._catalogs else (None, levels)

    def _grants(self, caller: Caller, table: Levels) -> list[Grant]:
        catalog, table = self._split(table)
        return [grant for grant in self._open(caller, catalog) if grant.covers(table, catalog)]

    def _open(self, caller: Caller, catalog: str | None) -> tuple[Grant, ...]:
        """Return the grants for a catalog's tables: none for anonymous callers if callers sign in at the catalog."""
        return () if catalog in self._forwarding and caller.name == ANYONE.name else caller.grants

    @staticmethod
    def _require_rank(grants: Collection[Grant], needed: Role) -> None:
        highest = max((grant.role for grant in grants), key=RANK.__getitem__, default=None)
        if highest is None:
            raise NotAuthorised(f"this token has no role for this resource; the request needs {needed}", needs=needed)
        if RANK[highest] < RANK[needed]:
            raise NotAuthorised(f"this token has the scope {highest}; the request needs {needed}", needs=needed)


def _includes(grant: Grant, namespace: Levels) -> bool:
    return grant.patterns is not None and any(pattern.includes(namespace) for pattern in grant.patterns)
