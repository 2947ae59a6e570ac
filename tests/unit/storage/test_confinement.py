"""The locations that a table may use: the roots, its namespace's locations, and those that an operator allows."""

from __future__ import annotations

import pytest

from lakemuster.errors import LocationForbidden, LocationRefused
from lakemuster.storage.confinement import NamespaceConfinement
from lakemuster.storage.locations import Location, Roots
from lakemuster.storage.store import ObjectStore


@pytest.mark.parametrize(
    ("roots", "places", "within"),
    [
        (["s3://lake"], ["s3://lake/shop"], ["s3://lake/shop"]),
        (["s3://lake/shop/eu"], ["s3://lake/shop"], ["s3://lake/shop/eu"]),
        (["s3://lake/shop"], ["s3://lake/shop"], ["s3://lake/shop"]),
        (["s3://lake/shop"], ["s3://lake/shopping"], []),
        (["s3://lake/shopping"], ["s3://lake/shop"], []),
        (["s3://lake"], [], []),
        ([], ["s3://lake"], []),
        (["s3://a", "s3://b/x"], ["s3://a/y", "s3://b"], ["s3://a/y", "s3://b/x"]),
    ],
)
def test_roots_within_prefixes_are_the_narrower_of_each_pair(
    roots: list[str], places: list[str], within: list[str]
) -> None:
    found = Roots.of(roots, "/").within([Location.parse(place) for place in places])
    assert [root.text for root in found.locations] == within


@pytest.mark.parametrize(
    ("confined_to", "now", "allowed", "location", "admitted"),
    [
        (None, None, (), "s3://lake/hr/t", True),
        (("s3://lake/shop",), None, (), "s3://lake/shop/t", True),
        (("s3://lake/shop",), None, (), "s3://lake/shopping/t", False),
        (("s3://lake/shop",), ("s3://lake/shop/eu",), (), "s3://lake/shop/us/t", False),
        (("s3://lake/shop",), ("s3://lake",), (), "s3://lake/hr/t", False),
        (None, ("s3://other",), (), "s3://other/t", False),
        (None, ("s3://lake/shop",), ("s3://own/t",), "s3://own/t/metadata/v1.metadata.json", True),
        (None, ("s3://lake/shop",), ("s3://own/t",), "s3://lake/hr/t", False),
    ],
)
def test_a_tables_store_opens_what_every_rule_allows(
    confined_to: tuple[str, ...] | None,
    now: tuple[str, ...] | None,
    allowed: tuple[str, ...],
    location: str,
    admitted: bool,
) -> None:
    store = ObjectStore(["s3://lake"], {})
    store.confinement.rule = lambda name: now if name == "shop.t" else ()
    opened = store.of_table("shop.t", confined_to, allowed)
    if admitted:
        assert opened.roots.admit(location).text == location
        return
    with pytest.raises(LocationRefused):
        opened.roots.admit(location)


def test_a_registered_table_is_checked_against_the_current_rule() -> None:
    confinement = NamespaceConfinement()
    confinement.require("shop.t", "s3://anywhere/t", ())
    confinement.rule = lambda _: ("s3://lake/shop",)
    confinement.require("shop.t", "s3a://lake/shop/t", ())
    confinement.require("shop.t", "s3://own/t", ("s3://own/t",))
    for elsewhere in ("s3://lake/shopping/t", "s3://lake", "/lake/shop/t"):
        with pytest.raises(LocationForbidden):
            confinement.require("shop.t", elsewhere, ())
