"""The components that tables of every format have."""

from __future__ import annotations

from collections.abc import Iterator

from lakemuster.metadata.health import Gain, Limits, Measured
from lakemuster.planner.health.layout import Layout
from lakemuster.planner.health.rules import TableState
from lakemuster.planner.history.expiry import Retention
from lakemuster.planner.statistics.delete_files import DeletesByKind

PERCENT = "percent of data files"
TIMES = "times the median partition"
UNITS = {"small_files": PERCENT, "delete_debt": PERCENT, "skew": TIMES}
"""The units of the components that are measured from files."""
NO_COMMAND = "no command mends it: a partition spec that divides large partitions does"
ALSO_SMALL = "the rewrite also merges small data files, and leaves delete files that may apply to others"
OTHER_DELETES = "the rewrite also merges delete files that apply"


def share(part: int, whole: int) -> float:
    """Return a part in percent; 0 if the whole is 0."""
    return 100 * part / whole if whole else 0.0


def staleness(state: TableState) -> Measured:
    """Return the age of the current snapshot, or of the metadata of a table without one."""
    current = state.current
    at_ms = state.metadata.last_updated_ms if current is None else current.committed_at_ms
    if at_ms is None:
        return Measured("staleness", None, "seconds", reason="the table's metadata records no time")
    return Measured("staleness", max(0.0, (state.now_ms - at_ms) / 1000), "seconds")


def quarantine(state: TableState) -> Measured:
    """Return the number of quarantined snapshots; critical if the current one is among them."""
    value = float(state.quarantined)
    return Measured("quarantine", value, "snapshots", state.unreadable, is_critical=state.unreadable is not None)


def snapshots(retention: Retention) -> Measured:
    """Return how many snapshots the table's own policy would remove."""
    if retention.refused is not None:
        return Measured("snapshots", None, "snapshots", reason=retention.refused)
    gone = len(retention.expired)
    if not gone:
        return Measured("snapshots", 0, "snapshots")
    gain = Gain(snapshots=Limits.exactly(gone))
    return Measured("snapshots", gone, "snapshots", gain=gain)


def skew(layout: Layout) -> Measured:
    """Return the largest partition's bytes over the median partition's; each counts as one target file at least."""
    found = layout.statistics.partitions
    if found.bytes is None or found.count < 2:
        return Measured("skew", 1.0, TIMES)
    least = 1 if layout.target is None else layout.target.bytes
    value = max(found.bytes.max, least) / max(found.bytes.p50, least)
    return Measured("skew", value, TIMES, NO_COMMAND if value > 1 else None)


def overlap(layout: Layout, remedy: str | None) -> Iterator[Measured]:
    """Measure the column by which the table is sorted."""
    unit = "files of a partition that contain a value"
    found = layout.clustering
    if found is None:
        return
    if found.mean is None:
        reason = f"no file has a lower bound of column {found.column}"
        yield Measured("overlap", 1.0 if not layout.statistics.totals.data_files else None, unit, reason=reason)
        return
    yield Measured("overlap", found.mean, unit, reason=f"column {found.column}", remedy=remedy)


def delete_debt(layout: Layout, remedy: str) -> Measured:
    """Return the share of data files that a read merges with deletes."""
    deletes, whole = layout.statistics.deletes, layout.statistics.totals.data_files
    value, carrying = share(deletes.data_files, whole), deletes.data_files
    if not carrying:
        return Measured("delete_debt", 0.0, PERCENT, concerned=0)
    # A rewrite removes the vectors of its data files; other delete files may also apply to files that stay.
    vectors = deletes.files.deletion_vectors.count
    if deletes.dangling is not None:
        vectors -= deletes.dangling.deletion_vectors.count
    files = Limits(vectors, _entries(deletes.files) + whole, ALSO_SMALL)
    gain = Gain(files=files, merges=Limits.exactly(carrying))
    return Measured("delete_debt", value, PERCENT, None, remedy, gain, concerned=carrying)


def dangling_deletes(layout: Layout, remedy: str) -> Iterator[Measured]:
    """Measure the share of live delete files and vectors that apply to no live data file."""
    deletes = layout.statistics.deletes
    if deletes.dangling is None:
        return
    unit = "percent of delete files"
    dangling, whole = _entries(deletes.dangling), _entries(deletes.files)
    if not dangling:
        yield Measured("dangling_deletes", 0.0, unit, concerned=0)
        return
    gain = Gain(files=Limits(0, whole, OTHER_DELETES))
    yield Measured("dangling_deletes", share(dangling, whole), unit, None, remedy, gain, concerned=dangling)


def _entries(found: DeletesByKind) -> int:
    return found.position_deletes.count + found.equality_deletes.count + found.deletion_vectors.count
