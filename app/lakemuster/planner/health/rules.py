"""The rules of a table format for health: measurements of metadata and files, and commands that improve them."""

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
    """The state of a table that its health is measured from.

    Attributes:
        snapshots: the snapshots of main.
        manifests: the data and delete manifests of the current snapshot; None if it is not published.
        quarantined: the number of quarantined snapshots.
        unreadable: why the current snapshot is quarantined; None if it is not.
        now_ms: the current time, in Unix milliseconds.
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
    """Return no measurements."""
    return iter(())


def no_column(_: TableMetadata) -> None:
    """Return None: the format's tables are not sorted."""


@dataclass(frozen=True, slots=True)
class HealthFormat:
    """The rules of one format.

    Attributes:
        of_metadata: measures the components that metadata and manifest lists determine.
        of_history: measures the snapshots, given the decisions of an expiry by the table's own policy.
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
