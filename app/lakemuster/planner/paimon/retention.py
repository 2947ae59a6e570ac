"""Which snapshots of a branch of a Paimon table an expiry would remove.

Source: Paimon 1.4 and 2.0 ``ExpireSnapshotsImpl``, ``ExpireConfig``, ``CoreOptions``, ``ConsumerManager``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.integer_text import parse_int64
from lakemuster.metadata.snapshot import MAIN
from lakemuster.planner.history.expiry import ExpiryState, Policy, Retention

MIN, MAX, AGE, LIMIT, CONSUMER_CHANGELOG_ONLY = (
    "snapshot.num-retained.min",
    "snapshot.num-retained.max",
    "snapshot.time-retained",
    "snapshot.expire.limit",
    "consumer.changelog-only",
)
CHANGELOG_MIN, CHANGELOG_MAX, CHANGELOG_AGE = (
    "changelog.num-retained.min",
    "changelog.num-retained.max",
    "changelog.time-retained",
)
DEFAULT_MIN, DEFAULT_MAX, DEFAULT_AGE_MS, DEFAULT_LIMIT = 10, 2**31 - 1, 3_600_000, 50
_UNITS_MS = {
    "": 1, "ms": 1, "milli": 1, "millis": 1, "millisecond": 1, "milliseconds": 1,
    "s": 1000, "sec": 1000, "secs": 1000, "second": 1000, "seconds": 1000,
    "m": 60_000, "min": 60_000, "minute": 60_000, "minutes": 60_000,
    "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000,
    "d": 86_400_000, "day": 86_400_000, "days": 86_400_000,
}  # fmt: skip
_DURATION = re.compile(r"\s*(\d+)\s*([a-z]*)\s*", re.ASCII)


def options_of(state: ExpiryState) -> Mapping[str, str]:
    """Return the options of the branch's newest schema."""
    schemas = state.metadata.branch_schemas.get(state.branch, state.metadata.schemas)
    newest = max(schemas, key=lambda schema: schema.schema_id)
    return dict(newest.options)


def keeps_changelogs(state: ExpiryState, policy: Policy) -> bool:
    """Return whether changelogs outlive snapshots: only an expiry by the table's own options reads that."""
    if not policy.is_default:
        return False
    options = options_of(state)
    return (
        _number(options, CHANGELOG_MAX, _number(options, MAX, DEFAULT_MAX)) > _number(options, MAX, DEFAULT_MAX)
        or _number(options, CHANGELOG_MIN, _number(options, MIN, DEFAULT_MIN)) > _number(options, MIN, DEFAULT_MIN)
        or _duration(options, CHANGELOG_AGE, _duration(options, AGE, DEFAULT_AGE_MS))
        > _duration(options, AGE, DEFAULT_AGE_MS)
    )


def own_snapshots(state: ExpiryState) -> dict[int, SnapshotRecord]:
    """Return the branch's snapshots by id, without those that only tags or changelogs retain."""
    return {
        record.snapshot.snapshot_id: record
        for record in state.records
        if record.snapshot.branch == state.branch and record.snapshot.source == "snapshot"
    }


def tagged_snapshots(state: ExpiryState) -> dict[int, SnapshotRecord]:
    """Return the snapshots that the branch's tags name, by id, ascending."""
    ids = {ref.snapshot_id for ref in state.metadata.refs if ref.kind == "tag" and ref.branch == state.branch}
    found = {
        record.snapshot.snapshot_id: record
        for record in state.records
        if record.snapshot.branch == state.branch and record.snapshot.snapshot_id in ids
    }
    return dict(sorted(found.items()))


def retention(state: ExpiryState, policy: Policy) -> Retention:
    """Return what ``expire_snapshots`` would decide.

    The oldest snapshots expire, up to the first retained one. Retained are the newest ``retain_last``, those that a
    consumer has not read, and those whose next snapshot (before Paimon 2.0: which themselves) is young enough, unless
    more than ``retain_max`` would be retained.
    """
    options = options_of(state)
    at_least = _number(options, MIN, DEFAULT_MIN) if policy.retain_last is None else policy.retain_last
    at_most = _number(options, MAX, DEFAULT_MAX) if policy.retain_max is None else policy.retain_max
    limit = _number(options, LIMIT, DEFAULT_LIMIT) if policy.max_deletes is None else policy.max_deletes
    older_than = policy.older_than_ms
    if older_than is None:
        older_than = state.now_ms - _duration(options, AGE, DEFAULT_AGE_MS)
    settings: dict[str, object] = {MIN: at_least, MAX: at_most, LIMIT: limit, "older_than": older_than}
    settings["paimon"] = policy.paimon
    if at_most < at_least:
        return Retention(settings=settings, refused=f"{MAX}, {at_most}, is less than {MIN}, {at_least}")
    own = own_snapshots(state)
    if not own:
        return Retention(settings=settings)
    earliest, latest = min(own), max(own)
    end = min(latest - at_least + 1, earliest + limit)
    read_next = _next_of_consumers(state)
    if read_next is not None and options.get(CONSUMER_CHANGELOG_ONLY, "").strip().lower() != "true":
        settings["consumers"] = read_next
        end = min(end, read_next)
    for number in range(max(latest - at_most + 1, earliest), end):
        decisive = own.get(number if policy.paimon == 1 else number + 1)
        if decisive is not None and older_than <= decisive.snapshot.committed_at_ms:
            end = number
            break
    expired = tuple(own[number] for number in sorted(own) if number < end)
    if not expired or end not in own:
        return Retention(settings=settings)
    tags = [tag for number, tag in tagged_snapshots(state).items() if number < end]
    needed = {record.row_id: record for record in (*expired, own[end], *tags)}
    return Retention(expired, tuple(needed.values()), (), settings)


def _next_of_consumers(state: ExpiryState) -> int | None:
    """Return the oldest snapshot that a consumer of the branch reads next."""
    if state.branch == MAIN:
        found = state.metadata.extra.get("consumers")
    else:
        others = state.metadata.extra.get("branch_consumers")
        found = others.get(state.branch) if isinstance(others, Mapping) else None
    numbers = [value for value in found.values() if isinstance(value, int)] if isinstance(found, Mapping) else []
    return min(numbers, default=None)


def _number(options: Mapping[str, str], name: str, default: int) -> int:
    number = parse_int64(options.get(name, ""))
    return default if number is None else number


def _duration(options: Mapping[str, str], name: str, default: int) -> int:
    """Return a duration in milliseconds; the default for a unit that is not known."""
    match = _DURATION.fullmatch(options.get(name, "").lower())
    if match is None or match[2] not in _UNITS_MS:
        return default
    return int(match[1]) * _UNITS_MS[match[2]]
