"""Claims name grants; values for other services are ignored."""

from __future__ import annotations

import pytest

from lakemuster.api.identity.callers import Grant
from lakemuster.api.identity.claims import grants_of

READ, SHOP = Grant("read"), Grant.of("admin", ["shop.*"], ["s3://lake/shop"])


@pytest.mark.parametrize(
    ("claims", "claim"),
    [
        ({"roles": ["lakemuster:read"]}, "roles"),
        ({"roles": "openid lakemuster:read"}, "roles"),
        ({"realm_access": {"roles": ["lakemuster:read"]}}, "realm_access.roles"),
        ({"https://example.com/roles": ["lakemuster:read"]}, "https://example.com/roles"),
    ],
)
def test_the_claim_is_found(claims: dict[str, object], claim: str) -> None:
    assert grants_of(claims, claim, {}) == (READ,)


@pytest.mark.parametrize(
    ("text", "grant"),
    [
        ("lakemuster:index:shop", Grant.of("index", ["shop"])),
        ("lakemuster:admin:shop.*@s3a://lake/shop/", SHOP),
        ("lakemuster:read:catalog:prod/shop", Grant.of("read", ["catalog:prod/shop"])),
        ("lakemuster:read:a@b", Grant.of("read", ["a@b"])),
        ("lakemuster:admin:shop@/data/shop", Grant.of("admin", ["shop"], ["file:///data/shop"])),
    ],
)
def test_a_grant_is_read(text: str, grant: Grant) -> None:
    (found,) = grants_of({"roles": [text]}, "roles", {})
    assert (found.role, found.patterns) == (grant.role, grant.patterns)
    assert len(found.locations) == len(grant.locations)


@pytest.mark.parametrize(
    "roles",
    [
        None,
        3,
        {"lakemuster:read": True},
        ["admin", "read", "lakemuster", "LAKEMUSTER:read", " lakemuster:read", 3, None, ["lakemuster:read"]],
        [
            "lakemuster:",
            "lakemuster:root",
            "lakemuster:read:",
            "lakemuster:read:a..b",
            "lakemuster:admin:x@s3://a/../b",
        ],
    ],
)
def test_what_is_no_grant_is_ignored(roles: object) -> None:
    assert grants_of({"roles": roles}, "roles", {}) == ()
    assert grants_of({"roles": roles}, "roles.of.nobody", {}) == ()


def test_roles_of_the_tokens_file_are_found_by_name() -> None:
    found = grants_of({"roles": ["owners", "others", "lakemuster:read", "owners"]}, "roles", {"owners": (SHOP,)})
    assert found == (SHOP, READ)
