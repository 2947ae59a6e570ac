"""Packed segments: the entries of neighbouring small manifests in one segment.

A table that is streamed to has thousands of manifests of few entries each, and opening a segment costs the same however
few it holds. Which neighbours are packed follows from the names and entries of manifests alone, so that a commit leaves
nearly all packed segments of a table what they are, and every process finds the same ones. The segments that they are
made of stay: what is not packed, or no longer, is read from them.

Source: shared design, "Where things are kept".
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import pyarrow as pa

from lakemuster.index import Index
from lakemuster.index.segments import BATCH_ROWS, SegmentInfo, known_segments, write_segment

PACKED_ROWS = BATCH_ROWS
"""Entries of a packed segment, more or less."""

SMALL = PACKED_ROWS // 4
"""Manifests of more entries stay alone."""

FEWEST = 4
"""Fewer manifests are not worth a segment."""

_VERSION = 1
_COUNTS = ("null_count.", "nan_count.", "value_count.", "column_size.")


class Source(NamedTuple):
    """A segment that holds the entries of one manifest, or of several that follow one another.

    Attributes:
        segment: its name.
        manifests: how many.
        rows: entries of all.
        last, last_rows: the segment and the entries of the last manifest alone.
    """

    segment: str
    manifests: int
    rows: int
    last: str
    last_rows: int


class Run(NamedTuple):
    """Manifests from ``first`` to before ``end`` that are packed, and the name of the segment that they make."""

    first: int
    end: int
    name: str


def ends_run(segment: str, rows: int, size: int) -> bool:
    """Whether a manifest is the last of a run of about ``size`` entries: with a chance of its share of them."""
    return crc32(segment.encode()) * size < rows << 32


def runs_of(segments: Sequence[str], rows: Sequence[int]) -> Iterator[Run]:
    """The manifests to pack, of some of one spec in list order.

    A run lies between two manifests that end one: what stands at the ends of a list may yet grow, and stays alone.

    Args:
        rows: entries of each.
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
            yield Run(first, end, _name(segments[first:end], rows[first:end]))
        # Where a run is merely long enough depends on where it began, which at the start of a list is not settled.
        first, held, begun = number + 1, 0, begun or ends


def sources_of(index: Index, segments: Sequence[str], rows: Sequence[int]) -> list[Source]:
    """The segments to read manifests of one spec from, in list order: packed ones where there are some.

    Args:
        rows: entries of each manifest.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    runs = list(runs_of(segments, rows))
    known: set[str] = set()
    if runs:
        with index.database.reading() as session:
            known = known_segments(session, [run.name for run in runs])
    found: list[Source] = []
    at = 0
    for run in (*(run for run in runs if run.name in known), Run(len(segments), len(segments), "")):
        found += [Source(segments[n], 1, rows[n], segments[n], rows[n]) for n in range(at, run.first)]
        if run.first < run.end:
            last = run.end - 1
            held = sum(rows[run.first : run.end])
            found.append(Source(run.name, run.end - run.first, held, segments[last], rows[last]))
        at = run.end
    return found


def pack(index: Index, segments: Sequence[str], rows: Sequence[int], new: Collection[str] | None) -> list[SegmentInfo]:
    """Write the packed segments that manifests of one spec lack, to be registered.

    Args:
        rows: entries of each manifest.
        new: segments that were not there before: only what they can have changed is looked at; None for all.

    Raises:
        IndexUnavailable: the database or the store does not answer.
        SegmentCorrupt: a segment is not whole.
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


def write_run(index: Index, run: Run, segments: Sequence[str], rows: Sequence[int]) -> SegmentInfo | None:
    """Write one packed segment; None where its manifests cannot be packed.

    Raises:
        IndexUnavailable: the store does not answer.
        SegmentCorrupt: a segment is not whole.
    """
    names = segments[run.first : run.end]
    if (table := run_table(index, run, segments, rows)) is None:
        return None
    path = index.segments.workspace / f"{run.name}-{uuid.uuid4().hex}.arrow"
    written = write_segment(table, path, rows[run.first : run.end])
    index.segments.put(run.name, path)
    # What keeps it in the register is that a manifest of its last segment is there.
    return SegmentInfo(run.name, names[-1], 0, written.rows, written.bytes)


def run_table(index: Index, run: Run, segments: Sequence[str], rows: Sequence[int]) -> pa.Table | None:
    """The entries of a run's manifests; None where they cannot be packed. Raises as :func:`write_run`."""
    tables = [index.segments.open(name).table() for name in segments[run.first : run.end]]
    if [one.num_rows for one in tables] != list(rows[run.first : run.end]):
        return None
    return together(tables)


def _name(segments: Sequence[str], rows: Sequence[int]) -> str:
    lines = [f"packed {_VERSION}", *(f"{name} {count}" for name, count in zip(segments, rows, strict=True))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def together(tables: Sequence[pa.Table]) -> pa.Table | None:
    """The entries of some segments as those of one; None where they would not mean the same there."""
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
    """Neighbours of one schema, which those of small manifests mostly have."""
    some: list[pa.Table] = []
    for table in tables:
        if some and not table.schema.equals(some[0].schema, check_metadata=True):
            yield some[0].schema, some
            some = []
        some.append(table)
    if some:
        yield some[0].schema, some


def _as(schema: pa.Schema, tables: Sequence[pa.Table], fields: Mapping[str, pa.Field]) -> Iterator[pa.Table]:
    """Entries of one schema in columns of given types."""
    others = {at: fields[one.name] for at, one in enumerate(schema) if one.type != fields[one.name].type}
    for table in tables:
        made = table
        for at, field in others.items():
            made = made.set_column(at, field, made.column(at).cast(field.type))
        yield made


def _of_both(one: pa.Field, other: pa.Field) -> pa.Field | None:
    """A column that two segments have as one; None where that cannot be."""
    # A column of several types (name@type) is unknown as a whole where it stands beside the others.
    if "@" in one.name:
        return None
    if one.equals(other, check_metadata=True):
        return one
    if not one.name.startswith(_COUNTS) or one.metadata != other.metadata or one.nullable != other.nullable:
        return None
    if not all(pa.types.is_signed_integer(field.type) for field in (one, other)):
        return None
    # Counts have the width that the largest one needs.
    return max(one, other, key=lambda field: field.type.bit_width)
