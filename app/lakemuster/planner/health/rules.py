"""What a table format tells about health: what its metadata and its files are measured by, and its commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lakemuster.metadata.health import Measured
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.health.commands import Commands
from lakemuster.planner.health.layout import Layout
from lakemuster.planner.history.expiry import Retention
from lakemuster.planner.statistics.rules import TargetFileSize


@dataclass(frozen=True, slots=True)
class TableState:
    """A table at its current snapshot, as its metadata tells.

    Attributes:
        snapshots: of main.
        manifests: of the current snapshot, those that hold its files; None if it is not published.
        quarantined: how many snapshots of the table are.
        unreadable: why the current snapshot is quarantined; None if it is not.
        now_ms: Unix milliseconds.
    """

    metadata: TableMetadata
    snapshots: Sequence[Snapshot]
    manifests: Sequence[ManifestHeader] | None
    quarantined: int
    unreadable: str | None
    now_ms: int
    commands: Commands

    @property
    def current(self) -> Snapshot | None:
        """The current snapshot of main."""
        wanted = self.metadata.current_snapshot_id
        return next((one for one in self.snapshots if one.snapshot_id == wanted), None)


def nothing_more(*_: object) -> Iterator[Measured]:
    """Measure nothing."""
    return iter(())


def no_column(_: TableMetadata) -> None:
    """Return None: the format's tables are not sorted."""


@dataclass(frozen=True, slots=True)
class HealthFormat:
    """The rules of one format.

    Attributes:
        of_metadata: measures what metadata and manifest lists alone tell.
        of_history: measures the snapshots, given what an expiry by the table's own policy would decide.
        of_files: measures the files.
        sorted_by: returns the full name of the first column by which a table is sorted; None if it is not.
    """

    of_metadata: Callable[[TableState], Iterator[Measured]] = nothing_more
    of_history: Callable[[TableState, Retention], Iterator[Measured]] = nothing_more
    of_files: Callable[[TableState, Layout], Iterator[Measured]] = nothing_more
    sorted_by: Callable[[TableMetadata], str | None] = no_column


PLAIN_HEALTH = HealthFormat()

HEALTH_RULES: FormatRegistry[HealthFormat] = FormatRegistry()

__all__ = ["HEALTH_RULES", "PLAIN_HEALTH", "HealthFormat", "TableState", "TargetFileSize"]
