"""Determine which snapshots and refs of an Iceberg table an expiry would remove.

Source: Iceberg 1.12 ``RemoveSnapshots``; Iceberg spec, "Snapshot Retention Policy".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.metadata.integer_text import parse_int64
from lakemuster.metadata.snapshot import MAIN, Ref
from lakemuster.planner.history.expiry import ExpiryState, Policy, Retention

MIN_SNAPSHOTS, MAX_AGE, MAX_REF_AGE, GC = (
    "history.expire.min-snapshots-to-keep",
    "history.expire.max-snapshot-age-ms",
    "history.expire.max-ref-age-ms",
    "gc.enabled",
)
DAY_MS = 86_400_000
DEFAULT_MIN_SNAPSHOTS, DEFAULT_MAX_AGE_MS, FOR_EVER_MS = 1, 5 * DAY_MS, 2**63 - 1

Records = Mapping[int, SnapshotRecord]


def retention(state: ExpiryState, policy: Policy) -> Retention:
    """Return what ``expire_snapshots`` would decide.

    A branch keeps its newest ``retain_last`` snapshots, and further ancestors as long as each is young enough; its own
    ``min-snapshots-to-keep`` and ``max-snapshot-age-ms`` take precedence over the arguments. A tag keeps its snapshot.
    Refs other than main expire when their snapshot is older than their ``max-ref-age-ms``. Unreferenced snapshots stay
    while they are younger than ``older_than``.
    """
    properties = state.metadata.properties
    if properties.get(GC, "true").strip().lower() == "false":
        return Retention(refused=f"{GC} is false: Iceberg does not expire snapshots of this table")
    older_than = policy.older_than_ms
    if older_than is None:
        older_than = state.now_ms - _integer(properties, MAX_AGE, DEFAULT_MAX_AGE_MS)
    at_least = policy.retain_last
    if at_least is None:
        at_least = _integer(properties, MIN_SNAPSHOTS, DEFAULT_MIN_SNAPSHOTS)
    max_ref_age = _integer(properties, MAX_REF_AGE, FOR_EVER_MS)
    by_id = {record.snapshot.snapshot_id: record for record in state.records}
    kept_refs, gone_refs = [], []
    for ref in state.metadata.refs:
        reason = _ref_expires(ref, by_id, state.now_ms, max_ref_age)
        if reason is None:
            kept_refs.append(ref)
        else:
            gone_refs.append((ref, reason))
    kept: set[int] = set()
    referred: set[int] = set()
    for ref in kept_refs:
        kept.add(ref.snapshot_id)
        referred.add(ref.snapshot_id)
        if ref.kind == "branch":
            referred |= {record.snapshot.snapshot_id for record in lineage(by_id, ref.snapshot_id)}
            kept |= _kept_of_branch(ref, by_id, state.now_ms, older_than, at_least)
    kept |= {
        number
        for number, record in by_id.items()
        if number not in referred and record.snapshot.committed_at_ms >= older_than
    }
    expired = tuple(record for number, record in by_id.items() if number not in kept)
    settings = {"older_than": older_than, MIN_SNAPSHOTS: at_least, MAX_REF_AGE: max_ref_age}
    return Retention(expired, tuple(state.records) if expired else (), tuple(gone_refs), settings)


def lineage(by_id: Records, newest: int | None) -> Iterator[SnapshotRecord]:
    """Yield a snapshot and its ancestors, up to one that is not known."""
    seen: set[int] = set()
    while newest is not None and newest not in seen and (record := by_id.get(newest)) is not None:
        seen.add(newest)
        yield record
        newest = record.snapshot.parent_id


def _ref_expires(ref: Ref, by_id: Records, now_ms: int, max_ref_age: int) -> str | None:
    """Return why a ref expires; None if it does not."""
    if ref.name == MAIN:
        return None
    record = by_id.get(ref.snapshot_id)
    if record is None:
        return "its snapshot does not exist"
    own = _own(ref, "max_ref_age_ms")
    limit = max_ref_age if own is None else own
    age = now_ms - record.snapshot.committed_at_ms
    return None if age <= limit else f"its snapshot is older than max-ref-age-ms, {limit}"


def _kept_of_branch(ref: Ref, by_id: Records, now_ms: int, older_than: int, at_least: int) -> set[int]:
    age, own = _own(ref, "max_snapshot_age_ms"), _own(ref, "min_snapshots_to_keep")
    border = older_than if age is None else now_ms - age
    number = at_least if own is None else own
    kept: set[int] = set()
    for record in lineage(by_id, ref.snapshot_id):
        if len(kept) >= number and record.snapshot.committed_at_ms < border:
            break
        kept.add(record.snapshot.snapshot_id)
    return kept


def _own(ref: Ref, name: str) -> int | None:
    """Return a ref's own setting."""
    value = ref.extra.get(name)
    return value if isinstance(value, int) else None


def _integer(properties: Mapping[str, str], name: str, default: int) -> int:
    number = parse_int64(properties.get(name, ""))
    return default if number is None else number
