"""Packed segments: one segment that holds the entries of several neighbouring small manifests.

A table written by streaming has thousands of manifests with few entries each, and opening a segment costs the same
however few entries it holds. Only the names and entry counts of manifests decide which neighbours are packed together.
So a commit leaves nearly all packed segments of a table unchanged, and every process computes the same ones. The
segments that a packed segment was made from stay: manifests that are not packed, or no longer, are read from them.

Source: ARCHITECTURE.md, "Words".
"""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import pyarrow as pa

from lakemuster.errors import IndexUnavailable
from lakemuster.index import Index
from lakemuster.index.segments import BATCH_ROWS, SegmentInfo, known_segments, write_segment

PACKED_ROWS = BATCH_ROWS
"""Approximate number of entries in a packed segment."""

SMALL = PACKED_ROWS // 4
"""Manifests with more entries than this are not packed."""

FEWEST = 4
"""Minimum number of manifests in a packed segment."""

_VERSION = 1
_COUNTS = ("null_count.", "nan_count.", "value_count.", "column_size.")


class SegmentSource(NamedTuple):
    """A segment that holds the entries of one manifest, or of several consecutive ones.

    Attributes:
        segment: the segment's name.
        manifests: number of manifests.
        rows: number of entries of all manifests.
        last, last_rows: the segment of the last manifest alone, and its number of entries.
    """

    segment: str
    manifests: int
    rows: int
    last: str
    last_rows: int


class PackedRun(NamedTuple):
    """The manifests from ``first`` to before ``end`` are packed; ``name`` is the name of their packed segment."""

    first: int
    end: int
    name: str


def ends_run(segment: str, rows: int, size: int) -> bool:
    """Tell by a hash of a manifest's name whether it ends a run of about ``size`` entries: probability rows / size."""
    return crc32(segment.encode()) * size < rows << 32


def runs_of(segments: Sequence[str], rows: Sequence[int]) -> Iterator[PackedRun]:
    """Yield the runs of manifests to pack, given manifests of one partition spec in list order.

    A run lies between two manifests that end a run: the ends of a list may still grow, so they are not packed.

    Args:
        rows: number of entries of each manifest.
    """
    first, held, begun = 0, 0, False
    for number, (name, count) in enumerate(zip(segments, rows, strict=True)):
        alone = count > SMALL
        held += 0 if alone else count
        ends = alone or ends_run(name, count, PACKED_ROWS)
        if not (ends or held >= 2 * PACKED_ROWS):
            continue
        end = number if alone else number + 1
        if begun and end - first >= FEWEST:
            yield PackedRun(first, end, _name(segments[first:end], rows[first:end]))
        # A run that is cut at its maximum length depends on its start, which is undetermined at the start of a list.
        first, held, begun = number + 1, 0, begun or ends


def sources_of(index: Index, segments: Sequence[str], rows: Sequence[int]) -> list[SegmentSource]:
    """Return the segments from which to read manifests of one spec, in list order; packed segments where they exist.

    Args:
        rows: number of entries of each manifest.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    runs = list(runs_of(segments, rows))
    known: set[str] = set()
    if runs:
        with index.database.reading() as session:
            known = known_segments(session, [run.name for run in runs])
    found: list[SegmentSource] = []
    at = 0
    for run in (*(run for run in runs if run.name in known), PackedRun(len(segments), len(segments), "")):
        found += [SegmentSource(segments[n], 1, rows[n], segments[n], rows[n]) for n in range(at, run.first)]
        if run.first < run.end:
            last = run.end - 1
            held = sum(rows[run.first : run.end])
            found.append(SegmentSource(run.name, run.end - run.first, held, segments[last], rows[last]))
        at = run.end
    return found


def pack(index: Index, segments: Sequence[str], rows: Sequence[int], new: Collection[str] | None) -> list[SegmentInfo]:
    """Write the missing packed segments for manifests of one spec, and return them to be registered.

    Args:
        rows: number of entries of each manifest.
        new: segments that did not exist before: only runs that they can affect are considered; None for all runs.

    Raises:
        IndexUnavailable: the database or the store does not answer.
        SegmentCorrupt: a segment is lost or damaged.
    """
    wanted = [
        run
        for run in runs_of(segments, rows)
        if new is None or any(name in new for name in segments[max(0, run.first - 1) : run.end])
    ]
    if not wanted:
        return []
    with index.database.reading() as session:
        known = known_segments(session, [run.name for run in wanted])
    made = (write_run(index, run, segments, rows) for run in wanted if run.name not in known)
    return [one for one in made if one is not None]


def write_run(index: Index, run: PackedRun, segments: Sequence[str], rows: Sequence[int]) -> SegmentInfo | None:
    """Write one packed segment; return None if its manifests cannot be packed.

    Raises:
        IndexUnavailable: the store does not answer.
        SegmentCorrupt: a segment is lost or damaged.
    """
    names = segments[run.first : run.end]
    if (table := run_table(index, run, segments, rows)) is None:
        return None
    path = index.segments.workspace / f"{run.name}-{uuid.uuid4().hex}.arrow"
    try:
        try:
            written = write_segment(table, path, rows[run.first : run.end])
        except IndexUnavailable:
            if not index.segments.make_room():
                raise
            written = write_segment(table, path, rows[run.first : run.end])
        index.segments.put(run.name, path)
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
    # Its location is its last segment: it stays registered as long as a manifest refers to that segment.
    return SegmentInfo(run.name, names[-1], 0, written.rows, written.bytes)


def run_table(index: Index, run: PackedRun, segments: Sequence[str], rows: Sequence[int]) -> pa.Table | None:
    """Return the entries of a run's manifests; None if they cannot be packed. Raises as :func:`write_run`."""
    tables = [index.segments.open(name).table() for name in segments[run.first : run.end]]
    if [one.num_rows for one in tables] != list(rows[run.first : run.end]):
        return None
    return concatenate(tables)


def _name(segments: Sequence[str], rows: Sequence[int]) -> str:
    lines = [f"packed {_VERSION}", *(f"{name} {count}" for name, count in zip(segments, rows, strict=True))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def concatenate(tables: Sequence[pa.Table]) -> pa.Table | None:
    """Concatenate the entries of several segments; return None if their meaning would change in one segment."""
    fields: dict[str, pa.Field] = {}
    groups = list(_alike(tables))
    for schema, _ in groups:
        if schema.metadata != groups[0][0].metadata:
            return None
        for field in schema:
            one = _of_both(fields.setdefault(field.name, field), field)
            if one is None:
                return None
            fields[field.name] = one
    if any(not field.nullable and field.name not in schema.names for field in fields.values() for schema, _ in groups):
        return None
    found = [table for schema, some in groups for table in _as(schema, some, fields)]
    return pa.concat_tables(found, promote_options="default")


def _alike(tables: Sequence[pa.Table]) -> Iterator[tuple[pa.Schema, list[pa.Table]]]:
    """Group neighbouring tables of equal schema; most small manifests have the same one."""
    some: list[pa.Table] = []
    for table in tables:
        if some and not table.schema.equals(some[0].schema, check_metadata=True):
            yield some[0].schema, some
            some = []
        some.append(table)
    if some:
        yield some[0].schema, some


def _as(schema: pa.Schema, tables: Sequence[pa.Table], fields: Mapping[str, pa.Field]) -> Iterator[pa.Table]:
    """Yield tables of one schema with their columns cast to the given types."""
    others = {at: fields[one.name] for at, one in enumerate(schema) if one.type != fields[one.name].type}
    for table in tables:
        made = table
        for at, field in others.items():
            made = made.set_column(at, field, made.column(at).cast(field.type))
        yield made


def _of_both(one: pa.Field, other: pa.Field) -> pa.Field | None:
    """Return the common field for a column of two segments; None if there is none."""
    # Do not pack: a name@type column makes its field's statistics unknown for the whole segment.
    if "@" in one.name:
        return None
    if one.equals(other, check_metadata=True):
        return one
    if not one.name.startswith(_COUNTS) or one.metadata != other.metadata or one.nullable != other.nullable:
        return None
    if not all(pa.types.is_signed_integer(field.type) for field in (one, other)):
        return None
    # Each segment stores counts in the width that its largest count needs.
    return max(one, other, key=lambda field: field.type.bit_width)
