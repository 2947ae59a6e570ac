"""Measure the health of Paimon tables, and name the Paimon procedures for Spark that repair it.

Source: Paimon ``CoreOptions``, ``UniversalCompaction``, ``AppendCompactCoordinator``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lakemuster.metadata.health import Gain, Limits, Measured
from lakemuster.metadata.integer_text import MAX_SIZE, parse_int64, parse_size
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.planner.health import components
from lakemuster.planner.health.components import PERCENT, share
from lakemuster.planner.health.layout import Layout
from lakemuster.planner.health.rules import HealthFormat, TableState
from lakemuster.planner.history.expiry import Retention
from lakemuster.planner.paimon.retention import LIMIT, MAX, MIN
from lakemuster.planner.statistics.rules import TargetFileSize

SYSTEM = "sys"
MIN_FILES, DEFAULT_MIN_FILES = "compaction.min.file-num", 5
CLUSTERING = "clustering.columns"
MANIFEST_SIZE, DEFAULT_MANIFEST_BYTES = "manifest.target-file-size", 8 << 20
WRITER_DECIDES = "how many files a compaction writes depends on their rows and on its writer"
MANY_SIZES = "how many manifests are written depends on their entries"


def of_metadata(state: TableState) -> Iterator[Measured]:
    """Measure manifests."""
    if state.manifests is not None:
        yield _manifests(state)


def of_history(state: TableState, retention: Retention) -> Iterator[Measured]:
    """Measure snapshots."""
    found = components.snapshots(retention)
    yield replace(found, remedy=_expire(state, retention) if found.value else None)


def _expire(state: TableState, retention: Retention) -> str:
    """Return the expiry with the table's own numbers, which the procedure does not read before Paimon 1.1."""
    most, least, limit = (int(str(retention.settings[option])) for option in (MAX, MIN, LIMIT))
    return state.commands.call(SYSTEM, "expire_snapshots", retain_max=most, retain_min=least, max_deletes=limit)


def of_files(state: TableState, layout: Layout) -> Iterator[Measured]:
    """Measure files, vectors, sorted runs, merge reads and partitions."""
    compact = state.commands.call(SYSTEM, "compact")
    merging = layout.statistics.merging
    if merging is not None and merging.sorted_runs is not None:
        yield from _merging(layout, compact)
    elif layout.target is not None:
        yield _small_files(state, layout, layout.target, compact)
    yield components.delete_debt(layout, compact)
    yield from components.dangling_deletes(layout, compact)
    yield components.skew(layout)
    by = sorted_by(state.metadata)
    yield from components.overlap(
        layout,
        None if by is None else state.commands.call(SYSTEM, "compact", order_strategy="order", order_by=by),
    )


def sorted_by(metadata: TableMetadata) -> str | None:
    """Return the first clustering column."""
    schema = _schema(metadata)
    first = "" if schema is None else dict(schema.options).get(CLUSTERING, "").split(",")[0].strip()
    return first if schema is not None and first in schema.by_name else None


def _merging(layout: Layout, compact: str) -> Iterator[Measured]:
    merging = layout.statistics.merging
    assert merging is not None
    assert merging.sorted_runs is not None
    runs, merged, whole = merging.sorted_runs.max, merging.merged_files, layout.statistics.totals.data_files
    unit = "sorted runs of a bucket"
    if runs > 1:
        most = Limits(0, whole - merging.buckets, WRITER_DECIDES)
        merges = Limits.exactly(merged)
        yield Measured("sorted_runs", runs, unit, None, compact, Gain(files=most, merges=merges))
    else:
        yield Measured("sorted_runs", runs, unit)
    value = share(merged, whole)
    if merged:
        gain = Gain(merges=Limits.exactly(merged))
        yield Measured("merge_reads", value, PERCENT, None, compact, gain, concerned=merged)
    else:
        yield Measured("merge_reads", value, PERCENT, concerned=0)


def _small_files(state: TableState, layout: Layout, target: TargetFileSize, compact: str) -> Measured:
    """Measure the share of small files in buckets with enough of them for a compaction."""
    groups = layout.groups
    buckets = groups.buckets - groups.buckets.min(initial=0)
    numbers = groups.partitions * (int(buckets.max(initial=0)) + 1) + buckets
    is_small = (groups.sizes >= 0) & (groups.sizes < target.least_bytes)
    _, numbers = np.unique(numbers, return_inverse=True)
    files, size = groups.summed(numbers.astype(np.int64), is_small)
    schema = _schema(state.metadata)
    least = _number({} if schema is None else dict(schema.options), MIN_FILES, DEFAULT_MIN_FILES)
    taken = (files >= max(least, 2)) | ((files > 1) & (size >= 2 * target.bytes))
    concerned = int(files[taken].sum())
    value = share(concerned, len(groups.sizes))
    if not concerned:
        return Measured("small_files", value, PERCENT, concerned=0)
    gain = Gain(files=Limits(0, int((files[taken] - 1).sum()), WRITER_DECIDES))
    return Measured("small_files", value, PERCENT, target.rule, compact, gain, concerned)


def _manifests(state: TableState) -> Measured:
    unit = "manifests that a rewrite saves"
    manifests = state.manifests or ()
    schema = _schema(state.metadata)
    target = _bytes({} if schema is None else dict(schema.options))
    size = sum(one.length or 0 for one in manifests)
    saved = max(0, len(manifests) - max(1, -(-size // target)))
    if not saved:
        return Measured("manifests", 0, unit)
    gain = Gain(manifests=Limits(0, len(manifests) - 1, MANY_SIZES))
    return Measured("manifests", saved, unit, None, state.commands.call(SYSTEM, "compact_manifest"), gain)


def _schema(metadata: TableMetadata) -> Schema | None:
    return next((one for one in metadata.schemas if one.schema_id == metadata.current_schema_id), None)


def _number(options: dict[str, str], name: str, default: int) -> int:
    number = parse_int64(options.get(name, ""))
    return default if number is None or number < 0 else number


def _bytes(options: dict[str, str]) -> int:
    return DEFAULT_MANIFEST_BYTES if MANIFEST_SIZE not in options else _size(options[MANIFEST_SIZE])


def _size(text: str) -> int:
    text = text.strip().lower().replace(" ", "")
    digits = text.rstrip("bkmg")
    unit = text[len(digits) :][:1]
    scale = {"k": 10, "m": 20, "g": 30}.get(unit, 0)
    number = (parse_size(digits) or 0) << scale
    return number if 0 < number < MAX_SIZE else DEFAULT_MANIFEST_BYTES


PAIMON_HEALTH = HealthFormat(of_metadata, of_history, of_files, sorted_by)
