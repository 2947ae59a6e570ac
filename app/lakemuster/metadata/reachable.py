"""Find the snapshots that refs newly reach, and the refs that moved otherwise than by commits. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from lakemuster.metadata.snapshot import MAIN, Ref, Snapshot, TableMetadata

SnapshotKey = tuple[str, int]
"""A branch and the id of one of its snapshots."""
RefKey = tuple[str, str, str]
"""Kind and name of a ref, and the branch whose snapshots it names: Paimon's branches have tags of their own."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A snapshot that a ref reaches.

    Attributes:
        ref: the first such ref: main before the others.
    """

    snapshot: Snapshot
    ref: str


@dataclass(frozen=True, slots=True)
class RefChange:
    """A ref that names another snapshot. ``before`` is None for a new ref, ``after`` for a deleted one."""

    kind: Literal["branch", "tag"]
    name: str
    branch: str
    before: int | None
    after: int | None


def refs_by_key(refs: Iterable[Ref]) -> dict[RefKey, SnapshotKey]:
    """Return the snapshots that refs name."""
    return {_key_of(ref): (ref.branch, ref.snapshot_id) for ref in refs}


def names_by_snapshot(refs: Iterable[Ref]) -> dict[SnapshotKey, list[str]]:
    """Return the sorted names of branches and tags, by the snapshot that they name."""
    found: dict[SnapshotKey, list[str]] = {}
    for ref in sorted(refs, key=lambda ref: ref.name):
        found.setdefault((ref.branch, ref.snapshot_id), []).append(ref.name)
    return found


def newly_reachable(metadata: TableMetadata, known: Collection[SnapshotKey]) -> list[Reached]:
    """Return the snapshots that refs reach and that are not ``known``, each once and after its parents.

    The ancestors of a known snapshot are known, too: the walk ends there.
    """
    snapshots = {(one.branch, one.snapshot_id): one for one in metadata.snapshots}
    heads = [(ref.name, (ref.branch, ref.snapshot_id)) for ref in sorted(metadata.refs, key=_main_first)]
    found: dict[SnapshotKey, Reached] = {}
    for name, head in heads:
        chain: dict[SnapshotKey, Reached] = {}
        at: SnapshotKey | None = head
        while at is not None and at not in known and at not in found and at not in chain:
            snapshot = snapshots.get(at)
            if snapshot is None:
                break
            chain[at] = Reached(snapshot, name)
            at = _parent(snapshot)
        found.update(reversed(chain.items()))
    return list(found.values())


def moved_refs(
    before: Mapping[RefKey, SnapshotKey], metadata: TableMetadata, new: Mapping[SnapshotKey, Snapshot]
) -> list[RefChange]:
    """Return the refs that are new, deleted, or moved otherwise than by new commits on top of their snapshots.

    Where the lineage between both snapshots has expired, a move counts as commits.

    Args:
        before: what the refs named.
        new: the snapshots of ``metadata`` that were reached by no ref before.
    """
    after = refs_by_key(metadata.refs)
    present = {(one.branch, one.snapshot_id) for one in metadata.snapshots}
    changes = [_change(key, before[key], None) for key in before if key not in after]
    for key, now in after.items():
        earlier = before.get(key)
        if earlier is None:
            # The first commits create main: they announce it.
            if not (key[:2] == ("branch", MAIN) and now in new):
                changes.append(_change(key, None, now))
        elif not _is_advanced(earlier, now, present, new):
            changes.append(_change(key, earlier, now))
    return changes


def _is_advanced(
    before: SnapshotKey, now: SnapshotKey, present: Collection[SnapshotKey], new: Mapping[SnapshotKey, Snapshot]
) -> bool:
    if before in new:
        # The id now belongs to another snapshot.
        return False
    at: SnapshotKey | None = now
    passed: set[SnapshotKey] = set()
    while at is not None and at in new and at not in passed:
        passed.add(at)
        at = _parent(new[at])
    return at == before or (bool(passed) and at is not None and at not in present)


def _parent(snapshot: Snapshot) -> SnapshotKey | None:
    return None if snapshot.parent_id is None else (snapshot.branch, snapshot.parent_id)


def _change(key: RefKey, before: SnapshotKey | None, after: SnapshotKey | None) -> RefChange:
    kind, name, branch = key
    return RefChange(
        "branch" if kind == "branch" else "tag",
        name,
        branch,
        None if before is None else before[1],
        None if after is None else after[1],
    )


def _key_of(ref: Ref) -> RefKey:
    return ref.kind, ref.name, ref.branch


def _main_first(ref: Ref) -> tuple[bool, bool, str]:
    return ref.kind != "branch", ref.name != MAIN, ref.name
