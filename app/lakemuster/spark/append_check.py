"""Check that the snapshots between two stream offsets only append rows, or may be skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lakemuster.client import SnapshotInfo
from lakemuster.client.model import Row
from lakemuster.spark.errors import NotAppendOnly

_REMOVES_NOTHING = frozenset({"append", "replace"})
"""Operations that remove no rows."""


def check_same(
    table: str,
    snapshots: Sequence[SnapshotInfo],
    start: int,
    identity: str | None,
    identity_of: Callable[[Row], str | None],
) -> None:
    """Check that the snapshot at which a stream continues is the one that it has read.

    Args:
        identity: of the snapshot that was read; None if unknown.

    Raises:
        NotAppendOnly: another snapshot has its id. An expired one cannot be checked.
    """
    now = next((identity_of(snapshot.row) for snapshot in _of_main(snapshots) if snapshot.snapshot_id == start), None)
    if None not in (identity, now) and identity != now:
        raise NotAppendOnly(
            table,
            f"snapshot {start}, the position of the stream, is another one now: the table was created again or rolled "
            "back",
        )


def check_appends(table: str, snapshots: Sequence[SnapshotInfo], start: int, end: int, skipped: frozenset[str]) -> None:
    """Check that a stream may read the interval of snapshots after ``start`` up to ``end``.

    Args:
        skipped: further operations that are allowed: ``overwrite``, ``delete``.

    Raises:
        NotAppendOnly: a snapshot has an operation that is not allowed (the newest such is reported), or ``start`` is
            not an ancestor of ``end``.
    """
    by_id = {snapshot.snapshot_id: snapshot for snapshot in _of_main(snapshots)}
    at: int | None = end
    visited: set[int] = set()
    while at != start:
        snapshot = None if at is None or at in visited else by_id.get(at)
        if snapshot is None:
            raise NotAppendOnly(
                table, f"snapshot {start}, the position of the stream, is not an ancestor of snapshot {end}: "
                "it has expired, or the table was rolled back"
            )  # fmt: skip
        if snapshot.operation not in _REMOVES_NOTHING | skipped:
            raise NotAppendOnly(table, f"snapshot {at} is not an append but {snapshot.operation}", snapshot.operation)
        visited.add(snapshot.snapshot_id)
        at = snapshot.parent_id


def _of_main(snapshots: Sequence[SnapshotInfo]) -> Iterator[SnapshotInfo]:
    return (snapshot for snapshot in snapshots if snapshot.row.get("branch", "main") == "main")
