"""The policy decides as a plain model does, and planted errors are detected."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from lakemuster.api.identity import callers, policy
from lakemuster.api.identity.callers import ANYONE, RANK, Caller, Grant, Pattern
from lakemuster.api.identity.policy import Action, Policy
from lakemuster.errors import NotAuthorised, RequestInvalid, TableNotFound
from lakemuster.metadata.name_patterns import level_matches
from lakemuster.metadata.names import Levels
from tests.unit.api.identity.access_model import ACTIONS, CATALOGS, random_model, random_table

PAIRS = 100_000


def outcome(decide: Policy, caller: Caller, action: Action, table: tuple[str, ...]) -> str:
    try:
        decide.require(caller, action, table)
    except NotAuthorised:
        return "denied"
    except TableNotFound:
        return "hidden"
    return "allowed"


def differences(pairs: int, most: int) -> tuple[list[object], Counter[str]]:
    """Return the first cases in which the policy and the model differ, and the count of each outcome."""
    chance, decide = random.Random(1), Policy(catalogs=CATALOGS)
    found: list[object] = []
    outcomes: Counter[str] = Counter()
    for _ in range(pairs // 20):
        model = random_model(chance)
        caller = model.caller()
        for _ in range(20):
            action, table = chance.choice(ACTIONS), random_table(chance)
            expected = model.outcome(action, table)
            outcomes[expected] += 1
            if outcome(decide, caller, action, table) != expected:
                found.append((model, action, table, expected))
            if decide.sees(caller, table) is not model.sees(table):
                found.append((model, "sees", table))
            if len(found) >= most:
                return found, outcomes
    return found, outcomes


def test_it_decides_as_the_model_does() -> None:
    found, outcomes = differences(PAIRS, 5)
    assert found == []
    assert sum(outcomes.values()) == PAIRS
    assert min(outcomes["allowed"], outcomes["denied"], outcomes["hidden"]) > PAIRS / 20


def _begins(pattern: str, level: str) -> bool:
    return level.startswith(pattern.rstrip("*"))


def _ends_anyhow(pattern: str, level: str) -> bool:
    return level.startswith(pattern.split("*", maxsplit=1)[0]) if "*" in pattern else pattern == level


def _any_catalog(self: Pattern, table: Levels, catalog: str | None = None) -> bool:
    return len(table) > len(self.levels) and all(map(level_matches, self.levels, table))


def _itself(self: Pattern, table: Levels, catalog: str | None = None) -> bool:
    return self.catalog == catalog and len(table) >= len(self.levels) and all(map(level_matches, self.levels, table))


def _directly(self: Pattern, table: Levels, catalog: str | None = None) -> bool:
    return _itself(self, table, catalog) and len(table) == len(self.levels) + 1


PLANTED: dict[str, tuple[object, str, object]] = {
    "a level is compared by its beginning": (callers, "level_matches", _begins),
    "only the beginning of a wildcard counts": (callers, "level_matches", _ends_anyhow),
    "catalogs are not told apart": (Pattern, "covers", _any_catalog),
    "a namespace covers a table of its own name": (Pattern, "covers", _itself),
    "a namespace covers only what is right in it": (Pattern, "covers", _directly),
    "no namespaces are all": (
        Grant,
        "covers",
        lambda g, t, c=None: not g.patterns or any(p.covers(t, c) for p in g.patterns),
    ),
    "one pattern of several must not hold": (
        Grant,
        "covers",
        lambda g, t, c=None: g.patterns is None or all(p.covers(t, c) for p in g.patterns),
    ),
    "refreshing needs no more than reading": (policy, "ROLE_OF", {**policy.ROLE_OF, "refresh": "read"}),
    "removing needs no more than refreshing": (policy, "ROLE_OF", {**policy.ROLE_OF, "remove": "index"}),
    "the role of one table is that of all": (
        Policy,
        "_grants",
        lambda self, caller, table: [g for g in caller.grants if any(o.covers(table) for o in caller.grants)],
    ),
    "the lowest role counts": (
        policy,
        "RANK",
        {role: -rank for role, rank in RANK.items()},
    ),
    "the table's grants are not looked at": (Policy, "_grants", lambda self, caller, table: list(caller.grants)),
}


@pytest.mark.parametrize("error", PLANTED)
def test_planted_errors_are_noticed(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, wrong = PLANTED[error]
    monkeypatch.setattr(place, name, wrong)
    assert differences(PAIRS, 1)[0]


def test_without_an_authenticator_everything_is_allowed() -> None:
    for action in ACTIONS:
        Policy().require(ANYONE, action, ("a", "b"))
    assert Policy().sees_all(ANYONE)
    assert Policy().confinement(ANYONE, ("a", "b")) is None


def test_a_missing_role_is_said_before_a_table_is_named() -> None:
    reader = Caller("r", (Grant.of("read", ["shop"]),))
    with pytest.raises(NotAuthorised, match="scope read; the request needs admin"):
        Policy().require(reader, "remove")
    with pytest.raises(NotAuthorised, match="no role"):
        Policy().require(Caller("nobody", ()), "read")


@pytest.mark.parametrize(
    "text", ["", "a..b", "catalog:prod", "catalog:PROD/x", "catalog:prod/a..b", "a/b", "catalog:/x"]
)
def test_a_pattern_is_a_dotted_name(text: str) -> None:
    with pytest.raises(RequestInvalid):
        Pattern.of(text)


def admin(*namespaces: str, locations: tuple[str, ...] = ()) -> Grant:
    return Grant.of("admin", namespaces or None, locations)


SHOP = {("shop",): ("s3://lake/shop",), ("shop", "eu"): ("s3://lake/eu",)}


@pytest.mark.parametrize(
    ("grants", "table", "places"),
    [
        ((admin("sh*"),), "shop.orders", ("s3://lake/shop",)),
        ((admin("*.eu"),), "shop.eu.orders", ("s3://lake/eu",)),
        ((admin("shop", locations=("s3://mine",)),), "shop.orders", ("s3://mine",)),
        ((admin("shop", locations=("s3://mine",)), admin("shop")), "shop.orders", ("s3://mine", "s3://lake/shop")),
        ((admin(locations=("s3://mine",)),), "web.clicks", ("s3://mine",)),
        ((admin(), admin("shop", locations=("s3://mine",))), "web.clicks", None),
        ((admin("web", locations=("s3://mine",)), Grant("read")), "web.clicks", ("s3://mine",)),
    ],
)
def test_a_table_is_added_where_its_grants_say(
    grants: tuple[Grant, ...], table: str, places: tuple[str, ...] | None
) -> None:
    assert Policy(lambda: SHOP).confinement(Caller("c", grants), tuple(table.split("."))) == places


@pytest.mark.parametrize(
    ("grants", "table"),
    [
        ((admin("*.eu"),), "shop.orders"),
        ((admin("web"),), "web.clicks"),
        ((admin("*.us"),), "shop.us.orders"),
        ((admin("web", locations=("s3://mine",)), Grant("read")), "shop.orders"),
        ((Grant("index"),), "shop.orders"),
        ((admin("catalog:shop/*", locations=("s3://mine",)),), "shop.eu.orders"),
    ],
)
def test_a_table_is_added_nowhere_else(grants: tuple[Grant, ...], table: str) -> None:
    with pytest.raises(NotAuthorised):
        Policy(lambda: SHOP).confinement(Caller("c", grants), tuple(table.split(".")))
