"""Table options of Paimon that affect how files are read, parsed.

Source: Paimon ``CoreOptions``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from lakemuster.errors import FormatUnsupported
from lakemuster.metadata.schema import Schema

MergeEngine = Literal["deduplicate", "partial-update", "aggregation", "first-row"]
_ENGINES: dict[str, MergeEngine] = {
    "deduplicate": "deduplicate",
    "partial-update": "partial-update",
    "aggregation": "aggregation",
    "first-row": "first-row",
}
MERGED_CHANGELOGS = frozenset({"lookup", "full-compaction"})
"""Changelog producers that compare each row with its previous version: their files hold whole rows."""

POSTPONE = -2
"""The value of the option ``bucket``, and bucket number, of tables whose new rows are assigned a bucket later."""

MERGE_POSTPONED = "postpone.merge-on-read"
"""The option with which batch reads also read the rows of that bucket, since Paimon 2.0."""

COMPACTION_TRIGGER = 5
_UNITS = {"b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "t": 1 << 40}


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table's files are read.

    Attributes:
        has_primary_key: rows with equal keys replace each other; otherwise the table is append-only.
        merge_engine: how rows with equal keys are merged.
        deletion_vectors: replaced rows are marked in index files.
        merge_on_read: merge in spite of deletion vectors, so that the newest rows are seen too.
        sorts_by_clustering: see :func:`sorts_by_clustering`.
        data_evolution: the columns of a row may be spread over several files.
        bucket: the number of buckets; -1 for dynamic or unaware, or :data:`POSTPONE`.
        merges_postponed: batch reads merge the rows that are not assigned to a bucket yet with those of all buckets.
        levels: levels of the merge tree; its files have level 0 to ``levels`` - 1.
        split_target_size, split_open_file_cost: bytes.
        target_file_size: the bytes that writers aim at; None if the table does not set it.
        count_blob_size: blob files count with their bytes in splits, not just with the cost of opening them.
        filled_columns: names of columns whose nulls old versions read as a default value.
        changelog_producer: who writes changelog files.
        reads_file_indexes: file indexes may prune files. Paimon evaluates them unless rows are merged without
            deletion vectors.
    """

    has_primary_key: bool
    merge_engine: MergeEngine = "deduplicate"
    deletion_vectors: bool = False
    merge_on_read: bool = False
    sorts_by_clustering: bool = False
    data_evolution: bool = False
    bucket: int = -1
    merges_postponed: bool = False
    levels: int = COMPACTION_TRIGGER + 1
    split_target_size: int = 128 << 20
    split_open_file_cost: int = 4 << 20
    target_file_size: int | None = None
    count_blob_size: bool = True
    filled_columns: frozenset[str] = frozenset()
    changelog_producer: str = "none"
    reads_file_indexes: bool = True

    @classmethod
    def of(cls, schema: Schema) -> Self:
        """Read a schema's options.

        Raises:
            FormatUnsupported: an unknown merge engine or a malformed number: pruning depends on them.
        """
        options = dict(schema.options)
        engine = options.get("merge-engine", "deduplicate").lower()
        if engine not in _ENGINES:
            raise FormatUnsupported("unknown merge engine", merge_engine=engine)
        trigger = _integer(options, "num-sorted-run.compaction-trigger", COMPACTION_TRIGGER)
        bucket = _integer(options, "bucket", -1)
        return cls(
            has_primary_key=bool(schema.primary_keys),
            merge_engine=_ENGINES[engine],
            deletion_vectors=_flag(options, "deletion-vectors.enabled"),
            merge_on_read=_flag(options, "deletion-vectors.merge-on-read"),
            sorts_by_clustering=sorts_by_clustering(options),
            data_evolution=evolves_data(schema),
            bucket=bucket,
            merges_postponed=bool(schema.primary_keys) and bucket == POSTPONE and _flag(options, MERGE_POSTPONED),
            levels=_integer(options, "num-levels", trigger + 1),
            split_target_size=_bytes(options, "source.split.target-size", 128 << 20),
            split_open_file_cost=_bytes(options, "source.split.open-file-cost", 4 << 20),
            target_file_size=_bytes(options, "target-file-size", 0) or None,
            count_blob_size=_flag(options, "blob.split-by-file-size", default=not _flag(options, "blob-as-descriptor")),
            changelog_producer=options.get("changelog-producer", "none").lower(),
            reads_file_indexes=_flag(options, "file-index.read.enabled", default=True)
            and (not schema.primary_keys or _flag(options, "deletion-vectors.enabled")),
            filled_columns=frozenset(
                name[len("fields.") : -len(".default-value")]
                for name in options
                if name.startswith("fields.") and name.endswith(".default-value")
            ),
        )

    @property
    def skips_level_0(self) -> bool:
        """Whether batch reads skip level 0 and read compacted files only, which need no merging."""
        if not self.has_primary_key:
            return False
        return not self.merge_on_read if self.deletion_vectors else self.merge_engine == "first-row"

    @property
    def buckets_can_go(self) -> bool:
        """Whether a merged bucket may be pruned when none of its files can match.

        Partial updates and aggregates combine several rows, none of which needs to match by itself.
        """
        return self.merge_engine not in ("partial-update", "aggregation")


def evolves_data(schema: Schema) -> bool:
    """Return whether the columns of a row may be spread over several files."""
    return _flag(dict(schema.options), "data-evolution.enabled")


def sorts_by_clustering(options: Mapping[str, str]) -> bool:
    """Return whether compacted files of a primary-key table are sorted by its clustering columns, not by the key."""
    return _flag(options, "pk-clustering-override")


def row_group_bytes(options: Mapping[str, str]) -> int:
    """Return the bytes of memory at which a Parquet writer with these options ends a row group, at least."""
    return min(_bytes(options, name, 128 << 20) for name in ("file.block-size", "parquet.block.size"))


def _flag(options: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    text = options.get(name)
    return default if text is None else text.strip().lower() == "true"


def _integer(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name)
    if text is None:
        return default
    try:
        return int(text)
    except ValueError as error:
        raise FormatUnsupported("an option of a Paimon table is not an integer", option=name) from error


def _bytes(options: Mapping[str, str], name: str, default: int) -> int:
    text = options.get(name, "").strip().lower()
    digits = len(text) - len(text.lstrip("0123456789"))
    unit = text[digits:].strip()
    if not digits or (unit and unit not in _UNITS):
        return default
    return int(text[:digits]) * _UNITS.get(unit, 1)
