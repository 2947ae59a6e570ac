"""Vended credentials: each grants access to the locations below its prefix only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakemuster.errors import StorageDenied
from lakemuster.storage.locations import Location, redacted

_OF_THE_OPERATOR = frozenset({"key", "secret", "token", "anon", "profile"})
"""The operator's options that authenticate requests; vended credentials replace them."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PrefixCredentials:
    """A set of credentials.

    Attributes:
        prefix: the folder whose contents they open.
        signing: fsspec options that authenticate requests; never shown.
        places: fsspec options that locate the store; options of the operator override them.
    """

    prefix: Location
    signing: Mapping[str, object] = field(repr=False)
    places: Mapping[str, object] = field(default_factory=dict)

    def merged(self, options: Mapping[str, object]) -> dict[str, object]:
        """Return the options of a filesystem, given the operator's options."""
        kept = {name: value for name, value in options.items() if name not in _OF_THE_OPERATOR}
        return {**self.places, **kept, **self.signing}


CredentialsProvider: TypeAlias = Callable[[], Sequence[PrefixCredentials]]


def find_credentials(credentials: Sequence[PrefixCredentials], location: Location) -> PrefixCredentials:
    """Return the credentials whose prefix is the longest that covers a location.

    Raises:
        StorageDenied: none covers it.
    """
    found = [vended for vended in credentials if location.lies_within(vended.prefix)]
    if not found:
        raise StorageDenied(f"{redacted(location.text)}: no credentials of the catalog cover it")
    return max(found, key=lambda vended: len(vended.prefix.key))
