"""Derive grants from a token's claims.

The claim that ``OIDC_ROLES_CLAIM`` names lists roles, as a JSON array or as words of a string. Each is either the name
of a ``[[role]]`` entry of the tokens file, or a grant: ``lakemuster:ROLE[:NAMESPACE[@LOCATION]]``, such as
``lakemuster:read``, ``lakemuster:index:shop.*`` or ``lakemuster:admin:shop@s3://lake/shop``. All others belong to other
services and are ignored: providers have roles of their own named ``admin``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

from lakemuster.api.identity.callers import Grant, parse_role
from lakemuster.errors import CatalogError
from lakemuster.storage.locations import Location

LOG = logging.getLogger("lakemuster.identity")
PREFIX = "lakemuster:"
_MAX_ROLES = 1000
_LOCATION = re.compile(r"(?P<namespace>.+?)@(?P<location>[a-z][a-z0-9+.-]*://.+|/.+)", re.DOTALL)


def grants_of(claims: Mapping[str, Any], claim: str, roles: Mapping[str, tuple[Grant, ...]]) -> tuple[Grant, ...]:
    """Return the grants of a token's bearer.

    Args:
        claim: the name of the claim, or a path of names separated by dots.
        roles: grants by the names of ``[[role]]`` entries.
    """
    found: dict[Grant, None] = {}
    for text in _texts(_value(claims, claim)):
        if text in roles:
            found.update(dict.fromkeys(roles[text]))
        elif text.startswith(PREFIX):
            try:
                found[parse_grant(text)] = None
            except CatalogError as error:
                LOG.warning("a role of an identity provider is ignored: %s: %s", ascii(text[:200]), error.message)
    return tuple(found)


def parse_grant(text: str) -> Grant:
    """Parse ``lakemuster:ROLE[:NAMESPACE[@LOCATION]]``.

    Raises:
        RequestInvalid, LocationRefused: a part of it is invalid.
    """
    role, has_namespace, rest = text.removeprefix(PREFIX).partition(":")
    if not has_namespace:
        return Grant(parse_role(role))
    found = _LOCATION.fullmatch(rest)
    if found is None:
        return Grant.of(parse_role(role), [rest])
    return Grant.of(parse_role(role), [found["namespace"]], [Location.parse(found["location"]).text])


def _value(claims: Mapping[str, Any], claim: str) -> object:
    if claim in claims:
        return claims[claim]
    value: object = claims
    for name in claim.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _texts(value: object) -> Iterator[str]:
    words = value.split() if isinstance(value, str) else value
    if isinstance(words, list):
        yield from (word for word in words[:_MAX_ROLES] if isinstance(word, str))
