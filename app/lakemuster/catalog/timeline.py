"""The timeline of a table: what each commit, or all commits of a period, added and removed, and running totals.

Figures are exact or null: they are computed from the entries of indexed snapshots. A commit is counted if its snapshot
is indexed and, in formats whose snapshots do not record their changes, the snapshot before it is, too. Where the index
has no figures, the figures that the writer recorded are given separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Literal, TypeVar

from lakemuster.catalog.history_indexing import index_needed
from lakemuster.catalog.lineage import Commit, Lineage, lineage_of
from lakemuster.catalog.periods import Period, period_of
from lakemuster.catalog.services import Services
from lakemuster.index.snapshots import SnapshotRecord
from lakemuster.planner.history.changes import Changes, changes_of, distinct_partitions
from lakemuster.planner.history.figures import Figures, live_figures
from lakemuster.planner.history.rules import HISTORY_RULES
from lakemuster.planner.view import View
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.timeline import CommitOut, GapOut, IndexingOut, PeriodOut

Order = Literal["asc", "desc"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Span:
    """The requested part of a timeline: from ``start_ms`` to before ``end_ms``; None for no limit.

    With periods, both limits are extended to whole periods, so that no period is counted in part.
    """

    start_ms: int | None = None
    end_ms: int | None = None
    period: Period | None = None
    order: Order = "desc"

    def chosen(self, commits: Sequence[Commit]) -> list[Commit]:
        """Return the commits of this part."""
        start, end = self.start_ms, self.end_ms
        if self.period is not None:
            start = None if start is None else period_of(start, self.period)[0]
            end = None if end is None else period_of(end - 1, self.period)[1]
        return [
            commit
            for commit in commits
            if (start is None or commit.record.snapshot.committed_at_ms >= start)
            and (end is None or commit.record.snapshot.committed_at_ms < end)
        ]


def timeline_of(
    services: Services, name: str, ref: str | None, span: Span, *, index: bool = False
) -> Timeline | IndexingOut:
    """Return the timeline of a branch or tag, by default main's.

    Args:
        index: first index the snapshots that are needed; return the progress if that exceeds a request's timeout.

    Raises:
        RefNotFound, LookFailed: see :func:`lineage_of`.
    """
    if index:

        def snapshots() -> list[SnapshotRecord]:
            lineage = lineage_of(services, name, ref)
            return needed(lineage, span.chosen(lineage.commits))

        progress = index_needed(services, services.fresh(name)[0], snapshots)
        if progress is not None:
            return progress
    return Timeline(services, lineage_of(services, name, ref), span)


def needed(lineage: Lineage, commits: Sequence[Commit]) -> list[SnapshotRecord]:
    """Return the snapshots whose entries are needed for the figures of some commits, oldest first."""
    needs_parent = HISTORY_RULES.of(lineage.table).needs_parent
    found: dict[int, SnapshotRecord] = {}
    for commit in commits:
        for record in (commit.before if needs_parent else None, commit.record):
            if record is not None and not record.snapshot.is_expired:
                found[record.row_id] = record
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Counted:
    """The figures of a commit, None if unknown, and the reason why they are."""

    changes: Changes | None
    totals: Figures | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline, whose rows are computed on demand."""

    services: Services
    lineage: Lineage
    span: Span

    def commits(self) -> list[Commit]:
        """Return the commits of the requested part, in its order."""
        return self._ordered(sorted(self.span.chosen(self.lineage.commits), key=commit_key))

    def periods(self, period: Period) -> list[tuple[int, list[Commit]]]:
        """Return the start of each period with commits, Unix epoch milliseconds, and its commits, oldest first."""

        def start(commit: Commit) -> int:
            return period_of(commit.record.snapshot.committed_at_ms, period)[0]

        # After a clock stepped back, commits of a period may be apart: the stable sort brings them together.
        chosen = sorted(self.span.chosen(self.lineage.commits), key=start)
        return self._ordered([(at, list(group)) for at, group in groupby(chosen, start)])

    def _ordered(self, items: list[T]) -> list[T]:
        return items if self.span.order == "asc" else items[::-1]

    def commit_out(self, commit: Commit) -> CommitOut:
        """Return a commit's row."""
        counted = self._counted(commit)
        snapshot = commit.record.snapshot
        kind = snapshot.extra.get("commit_kind")
        return CommitOut(
            snapshot_id=snapshot.snapshot_id,
            parent_id=snapshot.parent_id,
            branch=snapshot.branch,
            refs=list(self.lineage.refs.get((snapshot.branch, snapshot.snapshot_id), ())),
            committed_at=format_instant(snapshot.committed_at_ms),
            operation=snapshot.operation,
            commit_kind=kind if isinstance(kind, str) else None,
            state=commit.record.state,
            **_changes_out([] if counted.changes is None else [counted.changes]),
            **_named("total", counted.totals),
            reason=counted.reason,
            writer=None if counted.reason is None else self._writers_word(commit),
            gap_before=None if commit.gap is None else GapOut(snapshots=commit.gap.snapshots),
        )

    def period_out(self, period: Period, start_ms: int, commits: Sequence[Commit]) -> PeriodOut:
        """Return a period's row; its changes are null if those of any commit are unknown."""
        counted = [self._counted(commit) for commit in commits]
        changes = [one.changes for one in counted if one.changes is not None]
        unknown = [commit for commit, one in zip(commits, counted, strict=True) if one.changes is None]
        reasons = [one.reason for one in counted if one.reason is not None]
        last = commits[-1].record.snapshot
        return PeriodOut(
            start=format_instant(start_ms),
            end=format_instant(period_of(start_ms, period)[1]),
            commits=len(commits),
            operations=dict(Counter(_operation(commit) for commit in commits)),
            snapshot_id=last.snapshot_id,
            refs=[name for commit in commits for name in self._refs(commit)],
            **_changes_out([] if unknown else changes),
            **_named("total", counted[-1].totals),
            uncounted=len(unknown),
            reason=reasons[0] if reasons else None,
            gaps=[GapOut(snapshots=commit.gap.snapshots) for commit in commits if commit.gap is not None],
        )

    def _refs(self, commit: Commit) -> Sequence[str]:
        snapshot = commit.record.snapshot
        return self.lineage.refs.get((snapshot.branch, snapshot.snapshot_id), ())

    def _writers_word(self, commit: Commit) -> dict[str, int] | None:
        return dict(HISTORY_RULES.of(self.lineage.table).writer_figures(commit.record.snapshot)) or None

    def _counted(self, commit: Commit) -> _Counted:
        reason = _unreadable(commit.record)
        if reason is not None:
            return _Counted(None, None, reason)
        index, view = self.services.index, self._view(commit.record)
        totals = live_figures(index, view)
        if not HISTORY_RULES.of(self.lineage.table).needs_parent:
            return _Counted(changes_of(index, None, view), totals, None)
        if commit.before is None and commit.gap is not None:
            parent = commit.record.snapshot.parent_id
            return _Counted(None, totals, f"the snapshot before it, {parent}, has expired")
        if commit.before is None:
            return _Counted(changes_of(index, None, view), totals, None)
        reason = _unreadable(commit.before)
        if reason is not None:
            return _Counted(None, totals, reason)
        return _Counted(changes_of(index, self._view(commit.before), view), totals, None)

    def _view(self, record: SnapshotRecord) -> View:
        return View(self.lineage.table, self.lineage.metadata, record)


def commit_key(commit: Commit) -> tuple[int, int]:
    """Return the sort key of commits: by time."""
    return commit.record.snapshot.committed_at_ms, commit.record.row_id


def _operation(commit: Commit) -> str:
    snapshot = commit.record.snapshot
    return str(snapshot.operation or snapshot.extra.get("commit_kind") or "unknown")


def _unreadable(record: SnapshotRecord) -> str | None:
    """Return why a snapshot's entries are not in the index; None if they are."""
    number = record.snapshot.snapshot_id
    if record.snapshot.is_expired:
        return f"snapshot {number} has expired; only its changelog remains"
    match record.state:
        case "published":
            return None
        case "quarantined":
            return f"snapshot {number} cannot be read: {record.error}"
    return f"snapshot {number} is not indexed"


def _changes_out(changes: Sequence[Changes]) -> dict[str, int | None]:
    """Return the sums of some commits' changes; null if there are none."""
    if not changes:
        return {**_named("added", None), **_named("removed", None), "partitions": None}
    added, removed = Figures(), Figures()
    for one in changes:
        added, removed = added.plus(one.added), removed.plus(one.removed)
    return {**_named("added", added), **_named("removed", removed), "partitions": distinct_partitions(changes)}


_NO_FIGURES = dict.fromkeys(asdict(Figures()))


def _named(kind: str, figures: Figures | None) -> dict[str, int | None]:
    values = _NO_FIGURES if figures is None else asdict(figures)
    return {f"{kind}_{name}": value for name, value in values.items()}


def rows_of(timeline: Timeline) -> Iterator[CommitOut | PeriodOut]:
    """Yield all rows of a timeline."""
    period = timeline.span.period
    if period is None:
        yield from map(timeline.commit_out, timeline.commits())
    else:
        yield from (timeline.period_out(period, *item) for item in timeline.periods(period))
