"""Storage credentials that a catalog vends with a loaded table (``vended = true``).

They are cached in memory only, used only below their prefix, and requested again before they expire.
Source: the Iceberg REST catalog OpenAPI document, ``LoadTableResult`` and ``StorageCredential``.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakemuster.clock import SYSTEM, Clock
from lakemuster.errors import LocationRefused, UpstreamFailed
from lakemuster.metadata.names import Levels
from lakemuster.storage.locations import Location
from lakemuster.storage.prefix_credentials import PrefixCredentials
from lakemuster.upstream.json_members import NotAnObject, member, members

DELEGATION = {"X-Iceberg-Access-Delegation": "vended-credentials"}
EARLY = 0.7
"""Fraction of their lifetime after which credentials are requested again."""
LIFE_SECONDS = 300.0
"""Assumed lifetime of credentials whose response does not state one."""
MAX_LIFE_SECONDS = 43_200.0
MAX_TABLES = 10_000
_EXPIRES = "s3.session-token-expires-at-ms"
_SIGNING = {"s3.access-key-id": "key", "s3.secret-access-key": "secret", "s3.session-token": "token"}


@dataclass(frozen=True, slots=True)
class _Vended:
    credentials: tuple[PrefixCredentials, ...]
    until: float


class VendedCredentials:
    """A cache of the credentials that one catalog vends, by table. Thread-safe.

    Args:
        load: loads a table from the catalog, and passes the response to :meth:`note`.
    """

    def __init__(self, load: Callable[[Levels], object], clock: Clock = SYSTEM) -> None:
        self._load = load
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[Levels, _Vended] = OrderedDict()
        self._asking: dict[Levels, threading.Lock] = {}

    def credentials(self, levels: Levels) -> Sequence[PrefixCredentials]:
        """Return valid credentials for a table's files.

        Raises:
            TableNotFound: the catalog has no such table.
            UpstreamFailed: the catalog does not respond, or vends no S3 credentials.
        """
        found = self._fresh(levels)
        if found is None:
            with self._lock:
                asking = self._asking.setdefault(levels, threading.Lock())
            # One request serves all threads that read the table.
            try:
                with asking:
                    found = self._fresh(levels)
                    if found is None:
                        self._load(levels)
                        found = self._fresh(levels)
            finally:
                with self._lock:
                    self._asking.pop(levels, None)
        if found is None or not found.credentials:
            raise UpstreamFailed("the catalog vends no credentials of S3 for the table")
        return found.credentials

    def note(self, levels: Levels, table: bytes, answered_at: float) -> None:
        """Cache the credentials of a load-table response.

        Args:
            answered_at: time of the response in seconds since 1970, by the catalog's clock, as are times of expiry.

        Raises:
            UpstreamFailed: the response violates the protocol.
        """
        try:
            credentials, life = _all_credentials(table, answered_at)
        except (NotAnObject, LocationRefused, TypeError, ValueError, KeyError, AttributeError):
            raise UpstreamFailed("the catalog's credentials do not follow the protocol") from None
        with self._lock:
            self._known[levels] = _Vended(credentials, self._clock.monotonic() + life * EARLY)
            self._known.move_to_end(levels)
            while len(self._known) > MAX_TABLES:
                self._known.popitem(last=False)

    def _fresh(self, levels: Levels) -> _Vended | None:
        with self._lock:
            found = self._known.get(levels)
            if found is not None and self._clock.monotonic() >= found.until:
                del self._known[levels]
                found = None
            return found


def _all_credentials(table: bytes, answered_at: float) -> tuple[tuple[PrefixCredentials, ...], float]:
    """Return the credentials of a load-table response, and the seconds for which all of them are valid."""
    general = _object(member(table, "config"))
    stated = member(table, "storage-credentials") or []
    if not isinstance(stated, list):
        raise TypeError("no list of credentials")
    sets = [(str(one["prefix"]), _object(one["config"])) for one in stated]
    if not sets:
        sets = [(_location_of(table), general)]
    credentials, lives = [], [MAX_LIFE_SECONDS]
    for prefix, config in sets:
        if not prefix.startswith(("s3://", "s3a://", "s3n://")) or "s3.access-key-id" not in config:
            continue
        credentials.append(_credentials(prefix, general, config))
        life = float(config[_EXPIRES]) / 1000 - answered_at if _EXPIRES in config else LIFE_SECONDS
        lives.append(life if life > 0 else 0.0)
    return tuple(credentials), min(lives)


def _credentials(prefix: str, general: Mapping[str, Any], config: Mapping[str, Any]) -> PrefixCredentials:
    signing = {ours: str(config[theirs]) for theirs, ours in _SIGNING.items() if config.get(theirs)}
    said = {**general, **config}
    places: dict[str, object] = {}
    if said.get("s3.endpoint"):
        places["endpoint_url"] = str(said["s3.endpoint"])
    region = said.get("s3.region") or said.get("client.region")
    if region:
        places["client_kwargs"] = {"region_name": str(region)}
    return PrefixCredentials(Location.parse(prefix.rstrip("/*") + "/"), signing, places)


def _location_of(table: bytes) -> str:
    """Return the table's location, which is the prefix of credentials that have none."""
    for found in members(table):
        if found.name == "metadata":
            text = table[found.start : found.end]
            location = member(text, "location")
            if isinstance(location, str):
                return location
    raise KeyError("location")


def _object(value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeError("no object")
    return value
