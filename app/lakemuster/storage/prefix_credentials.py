"""Vended credentials: each grants access to the locations below its prefix only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakemuster.errors import StorageDenied
from lakemuster.storage.locations import Location, redacted

_OF_THE_OPERATOR = frozenset({"key", "secret", "token", "anon", "profile"})
"""Options that sign requests: vended ones take their place."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PrefixCredentials:
    """A set of credentials.

    Attributes:
        prefix: of the locations that they open, a folder.
        signing: fsspec options that sign requests; never shown.
        places: fsspec options that say where the store is, unless the operator's do.
    """

    prefix: Location
    signing: Mapping[str, object] = field(repr=False)
    places: Mapping[str, object] = field(default_factory=dict)

    def merged(self, options: Mapping[str, object]) -> dict[str, object]:
        """The options of a filesystem, given the operator's."""
        kept = {name: value for name, value in options.items() if name not in _OF_THE_OPERATOR}
        return {**self.places, **kept, **self.signing}


CredentialsProvider: TypeAlias = Callable[[], Sequence[PrefixCredentials]]


def find_credentials(credentials: Sequence[PrefixCredentials], location: Location) -> PrefixCredentials:
    """The credentials with the longest prefix of a location.

    Raises:
        StorageDenied: there is none.
    """
    found = [vended for vended in credentials if location.lies_within(vended.prefix)]
    if not found:
        raise StorageDenied(f"{redacted(location.text)}: no credentials of the catalog cover it")
    return max(found, key=lambda vended: len(vended.prefix.key))
