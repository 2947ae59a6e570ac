"""A plain model of access control, written from the documentation alone, without code of the policy."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from lakemuster.api.identity.callers import ROLES, Caller, Grant, Role
from lakemuster.api.identity.policy import Action

WORDS = ("shop", "shop2", "sho", "web", "raw", "eu", "a.b")
PATTERN_WORDS = (*WORDS, "*", "sh*", "*p", "e*u", "a*b")
CATALOGS = ("prod", "shop2")
ACTIONS: tuple[Action, ...] = ("read", "refresh", "register", "remove")
RIGHTS: dict[Role, set[Action]] = {
    "read": {"read"},
    "index": {"read", "refresh"},
    "admin": {"read", "refresh", "register", "remove"},
}


@dataclass(frozen=True)
class ModelGrant:
    """A role, and its namespaces as catalog ("" for native tables) and levels; None stands for all tables."""

    role: Role
    namespaces: list[tuple[str, tuple[str, ...]]] | None

    def holds_for(self, table: tuple[str, ...]) -> bool:
        if self.namespaces is None:
            return True
        catalog, levels = (table[0], table[1:]) if table[0] in CATALOGS else ("", table)
        for own, namespace in self.namespaces:
            ancestors = [levels[:depth] for depth in range(len(levels))]
            if own == catalog and any(
                len(above) == len(namespace) and all(fnmatchcase(x, p) for x, p in zip(above, namespace, strict=True))
                for above in ancestors
            ):
                return True
        return False

    def texts(self) -> list[str] | None:
        """Return the namespaces as the tokens file spells them."""
        if self.namespaces is None:
            return None
        texts = []
        for catalog, levels in self.namespaces:
            dotted = ".".join(f"`{level}`" if "." in level else level for level in levels)
            texts.append(f"catalog:{catalog}/{dotted}" if catalog else dotted)
        return texts

    def grant(self) -> Grant:
        return Grant.of(self.role, self.texts())


@dataclass(frozen=True)
class Model:
    """A caller of the model."""

    grants: list[ModelGrant] = field(default_factory=list)

    def sees(self, table: tuple[str, ...]) -> bool:
        """Return whether a table is visible to the caller."""
        return any(grant.holds_for(table) for grant in self.grants)

    def outcome(self, action: Action, table: tuple[str, ...]) -> str:
        """Return ``allowed``, ``hidden`` or ``denied``."""
        if not self.grants:
            return "denied"
        held = [grant for grant in self.grants if grant.holds_for(table)]
        if not held:
            return "hidden"
        return "allowed" if any(action in RIGHTS[grant.role] for grant in held) else "denied"

    def caller(self) -> Caller:
        return Caller("c", tuple(grant.grant() for grant in self.grants))


def random_table(chance: random.Random) -> tuple[str, ...]:
    """Return a table's levels; the first may name an attached catalog."""
    first = chance.choice((*WORDS, *CATALOGS))
    rest = [chance.choice(WORDS) for _ in range(chance.randrange(1, 4))]
    return (first, *rest)


def random_model(chance: random.Random) -> Model:
    """Return a caller with zero to three grants."""
    grants = []
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        namespaces: list[tuple[str, tuple[str, ...]]] | None = None
        if chance.random() < 0.85:
            namespaces = []
            for _ in range(chance.randrange(0, 4)):
                catalog = chance.choice(("", "", *CATALOGS))
                depth = chance.randrange(0 if catalog else 1, 4)
                namespaces.append((catalog, tuple(chance.choice(PATTERN_WORDS) for _ in range(depth))))
        grants.append(ModelGrant(chance.choice(ROLES), namespaces))
    return Model(grants)
