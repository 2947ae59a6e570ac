"""Figures of merging on read: levels, sorted runs, sections."""

from __future__ import annotations

from dataclasses import dataclass

from lakemuster.planner.statistics.numbers import Group, Quantiles


@dataclass(frozen=True, slots=True)
class Merging:
    """The merge trees of a table.

    Attributes:
        levels: files by level; the key is the level.
        buckets: how many buckets of partitions have files.
        sorted_runs: per bucket: its files on level 0, and the levels above that have files.
        merged_files, merged_records, merged_bytes: the files that a read merges with others.
        sections: how many groups of files are merged.
        unread_files: live files that a read leaves out.
        delete_rows: rows of the files that delete a key; None where some are not recorded.
    """

    levels: list[Group]
    buckets: int
    sorted_runs: Quantiles | None
    merged_files: int
    merged_records: int
    merged_bytes: int
    sections: int
    unread_files: int
    delete_rows: int | None
