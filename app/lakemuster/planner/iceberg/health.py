"""The health measures of Iceberg tables, and Iceberg's Spark procedures that repair them.

Which files and manifests a procedure takes follows its own rules, so that what it would gain is known.

Source: Iceberg 1.12 ``SizeBasedFileRewritePlanner``, ``BinPackRewriteFilePlanner``, ``RewriteManifestsSparkAction``,
``TableProperties``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from lakemuster.metadata.health import Gain, Limits, Measured
from lakemuster.metadata.integer_text import parse_size
from lakemuster.metadata.snapshot import ManifestHeader, Snapshot, TableMetadata
from lakemuster.planner.deletes.partition_keys import is_partitioned
from lakemuster.planner.health import components
from lakemuster.planner.health.components import PERCENT, share
from lakemuster.planner.health.layout import Layout
from lakemuster.planner.health.rules import HealthFormat, TableState
from lakemuster.planner.history.expiry import Retention
from lakemuster.planner.iceberg.history import writer_figures
from lakemuster.planner.iceberg.table_statistics import DEFAULT_BYTES, TARGET_FILE_SIZE
from lakemuster.planner.statistics.delete_files import DeletesByKind
from lakemuster.planner.statistics.rules import SETTING, TargetFileSize

SYSTEM = "system"
MIN_INPUT_FILES = 5
LARGE_PERCENT = 180
MANIFEST_SIZE, DEFAULT_MANIFEST_BYTES = "commit.manifest.target-size-bytes", 8 << 20
DISTRIBUTION = "write.distribution-mode"
WRITES = 5
"""How many of the newest commits with a known number of files per partition are measured."""
_OF_WRITES = ("added_data_files", "partitions", "added_bytes")
SMALL_PERCENT = 75
SOME_ARE_LARGE = "a group of more than the target size becomes a number of files that its writer decides"
HAS_DELETES = "rows that are deleted do not come into the new files, and files with many are rewritten too"
OTHER_SPEC = "files of other partition specs are divided by the current one"
MORE_THAN_ONE = "how many manifests are written depends on how their entries divide"
NO_LENGTHS = "the manifest list does not record the lengths of manifests"


def of_metadata(state: TableState) -> Iterator[Measured]:
    """Measure manifests and writes."""
    if state.manifests is not None:
        yield _manifests(state, state.manifests)
    found = _writes(state)
    if found is not None:
        yield found


def of_history(state: TableState, retention: Retention) -> Iterator[Measured]:
    """Measure snapshots and the metadata file."""
    expire = state.commands.call(SYSTEM, "expire_snapshots")
    found = components.snapshots(retention)
    gone = found.value or 0
    yield replace(found, remedy=expire) if gone else found
    size = state.metadata.metadata_bytes
    if size is None:
        reason = "the metadata file was read before its size was recorded"
        yield Measured("metadata_size", None, "bytes", reason=reason)
    elif gone:
        gain = Gain(bytes=Limits(0, size, "the size of the next metadata file depends on what it records"))
        yield Measured("metadata_size", size, "bytes", None, expire, gain)
    else:
        yield Measured("metadata_size", size, "bytes")


def of_files(state: TableState, layout: Layout) -> Iterator[Measured]:
    """Measure files, deletes, partitions and the sort order."""
    commands = state.commands
    if layout.target is not None:
        yield _small_files(state, layout, layout.target)
    merge = {
        "delete-file-threshold": "1",
        "remove-dangling-deletes": "true",
        # Earlier deletes do not apply to the new files, whatever they list.
        "use-starting-sequence-number": "false",
    }
    yield components.delete_debt(layout, commands.call(SYSTEM, "rewrite_data_files", merge))
    yield from components.dangling_deletes(layout, _without_dangling(state, layout))
    yield components.skew(layout)
    sort = commands.call(SYSTEM, "rewrite_data_files", {"rewrite-all": "true"}, strategy="sort")
    yield from components.overlap(layout, sort)


def sorted_by(metadata: TableMetadata) -> str | None:
    """Return the first column of the default sort order, if it is sorted by its own value."""
    default, orders = metadata.extra.get("default_sort_order_id"), metadata.extra.get("sort_orders")
    if not default or not isinstance(orders, list | tuple):
        return None
    for order in orders:
        fields = order.get("fields") if isinstance(order, Mapping) and order.get("order_id") == default else None
        first = fields[0] if isinstance(fields, list | tuple) and fields else None
        if isinstance(first, Mapping) and first.get("transform") == "identity":
            for schema in metadata.schemas:
                if schema.schema_id == metadata.current_schema_id:
                    return schema.names.get(first.get("source_id"))  # type: ignore[arg-type]
    return None


def _small_files(state: TableState, layout: Layout, target: TargetFileSize) -> Measured:
    """Return the share of data files that ``rewrite_data_files`` takes because they are small."""
    groups = layout.groups
    large = target.bytes * LARGE_PERCENT // 100
    # Files of other specs are one group, which comes last.
    numbers = np.where(groups.is_current, groups.partitions, groups.count)
    is_small = (groups.sizes >= 0) & (groups.sizes < target.least_bytes)
    files, size = groups.summed(numbers, is_small | (groups.sizes > large))
    small, _ = groups.summed(numbers, is_small)
    small = np.pad(small, (0, len(files) - len(small)))
    taken = (files >= MIN_INPUT_FILES) | ((files > 1) & (size > target.bytes)) | (size > large)
    taken &= small > 0
    concerned = int(small[taken].sum())
    value = share(concerned, len(groups.sizes))
    if not concerned:
        return Measured("small_files", value, PERCENT, concerned=0)
    sure = taken & (size <= target.bytes)
    sure[groups.count :] = False
    reasons = []
    if layout.statistics.deletes.data_files:
        sure[:] = False
        reasons.append(HAS_DELETES)
    if (taken & (size > target.bytes)).any():
        reasons.append(SOME_ARE_LARGE)
    if taken[groups.count :].any():
        reasons.append(OTHER_SPEC)
    lower, upper = int((files[sure] - 1).sum()), int((files[taken] - 1).sum())
    gain = Gain(files=Limits(lower, upper, "; ".join(reasons) or None))
    options = {"target-file-size-bytes": str(target.bytes)} if target.source == SETTING else None
    remedy = state.commands.call(SYSTEM, "rewrite_data_files", options)
    return Measured("small_files", value, PERCENT, target.rule, remedy, gain, concerned)


def _without_dangling(state: TableState, layout: Layout) -> str:
    found: DeletesByKind | None = layout.statistics.deletes.dangling
    if found is not None and not found.equality_deletes.count and not found.deletion_vectors.count:
        return state.commands.call(SYSTEM, "rewrite_position_delete_files", {"rewrite-all": "true"})
    return state.commands.call(SYSTEM, "rewrite_data_files", {"remove-dangling-deletes": "true"})


def _manifests(state: TableState, manifests: Sequence[ManifestHeader]) -> Measured:
    """Return how many manifests ``rewrite_manifests`` would save."""
    unit = "manifests that a rewrite saves"
    target = parse_size(state.metadata.properties.get(MANIFEST_SIZE, "")) or DEFAULT_MANIFEST_BYTES
    saved, is_exact = 0, True
    most = 0
    for content in ("data", "deletes"):
        own = [one for one in manifests if one.content == content and _is_current(one, state.metadata)]
        if any(one.length is None for one in own):
            return Measured("manifests", None, unit, reason=NO_LENGTHS)
        size = sum(one.length or 0 for one in own)
        wanted = max(1, -(-size // target))
        if len(own) > wanted:
            saved += len(own) - wanted
            most += len(own) - 1
            is_exact &= wanted == 1
    if not saved:
        return Measured("manifests", 0, unit)
    gain = Limits.exactly(saved) if is_exact else Limits(0, most, MORE_THAN_ONE)
    remedy = state.commands.call(SYSTEM, "rewrite_manifests")
    return Measured("manifests", saved, unit, None, remedy, Gain(manifests=gain))


def _is_current(header: ManifestHeader, metadata: TableMetadata) -> bool:
    return header.spec_id == metadata.default_spec_id


def _writes(state: TableState) -> Measured | None:
    """Return the median number of files per partition that the newest commits added, if the files were small.

    None if the table is not partitioned.
    """
    metadata, unit = state.metadata, "files a partition and commit"
    spec = next((one for one in metadata.specs if one.spec_id == metadata.default_spec_id), None)
    if spec is None or not is_partitioned(spec):
        return None
    least = _target(metadata) * SMALL_PERCENT // 100
    newest = sorted(state.snapshots, key=lambda one: -one.committed_at_ms)
    found: list[float] = []
    for snapshot in newest:
        if (ratio := _files_a_partition(snapshot, least)) is not None:
            found.append(ratio)
        if len(found) == WRITES:
            break
    if not found:
        reason = "no snapshot records how many files and partitions its commit changed"
        return Measured("unclustered_writes", None, unit, reason=reason)
    value = float(median(found))
    is_spread = metadata.properties.get(DISTRIBUTION, "").strip().lower() in ("hash", "range")
    if value <= 1 or is_spread:
        return Measured("unclustered_writes", value, unit)
    return Measured(
        "unclustered_writes",
        value,
        unit,
        "of later commits; files that are there stay as they are",
        state.commands.set_properties({DISTRIBUTION: "hash"}),
    )


def _files_a_partition(snapshot: Snapshot, least: int) -> float | None:
    if snapshot.operation not in ("append", "overwrite"):
        return None
    word = writer_figures(snapshot, _OF_WRITES)
    files, partitions, size = (word.get(key) for key in _OF_WRITES)
    if not files or not partitions:
        return None
    is_large = size is not None and size >= files * least
    return 1.0 if is_large else files / partitions


def _target(metadata: TableMetadata) -> int:
    return parse_size(metadata.properties.get(TARGET_FILE_SIZE, "")) or DEFAULT_BYTES


ICEBERG_HEALTH = HealthFormat(of_metadata, of_history, of_files, sorted_by)
