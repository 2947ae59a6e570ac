"""Write a plan in the formats of a response: pages of JSON, JSON lines, Arrow batches.

Files reference their delete files by number. In a page, numbers count the page's own delete files, in their order in
the snapshot. In a stream, they count all delete files so far: each occurs once, before the first file that references
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from lakemuster import tracing
from lakemuster.catalog.filters import Filter, not_applied_out
from lakemuster.catalog.listings import PAGE_BYTES, joined
from lakemuster.catalog.page_tokens import Key
from lakemuster.catalog.page_writers import writers_of
from lakemuster.catalog.residual_texts import ResidualTexts
from lakemuster.planner.columns import repeated
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import START, Position, conform
from lakemuster.planner.scan.applied import NotApplied, applied
from lakemuster.planner.scan.plan import Plan, PlannedBatch
from lakemuster.planner.scan.tasks import cut
from lakemuster.planner.scan.tasks import part as part_of_plan
from lakemuster.planner.scan.totals import PlanTotals
from lakemuster.wire.documents import dumps
from lakemuster.wire.json_kernel.columns import RowPart
from lakemuster.wire.model import json_integer
from lakemuster.wire.rows import CHUNK_BYTES, JSON_TEXT, Written, chunks, json_items, json_lines, member, members

Numbers = NDArray[np.int64]
Kind = Literal["file", "delete"]

JSON_OF_ARROW = 3
"""Approximate bytes of JSON for each byte of Arrow."""
SHORT_TEXT = 64
"""Maximum characters of a residual whose repeated array is cached."""
DELETE_BYTES = 1_000
"""Approximate bytes of JSON of a delete file."""


@dataclass(frozen=True, slots=True)
class PlanPage:
    """Some files of a plan and their delete files, as the insides of JSON arrays.

    Attributes:
        after: where the next page begins; None on the last page.
        totals: the totals of the whole plan.
        rows: number of files.
    """

    files: Written
    deletes: Written
    after: Key | None
    totals: PlanTotals
    rows: int


@dataclass(frozen=True)
class PlanListing:
    """A plan that can be paged or streamed.

    Attributes:
        filter: the plan's predicate as the caller wrote it.
        schema_id: the schema whose column names the caller used.
        limit: the number of rows that suffice; None for all.
        stale: why the plan is not of the newest state; None if it is.
    """

    plan: Plan
    filter: Filter
    schema_id: int
    limit: int | None = None
    stale: str | None = None

    @cached_property
    def applied(self) -> tuple[tuple[str, ...], tuple[NotApplied, ...]]:
        """The conjuncts that can drop files, and those that cannot."""
        return applied(self.plan.scan, self.plan.bound)

    @cached_property
    def about(self) -> Mapping[str, object]:
        """The part of a response that describes the whole plan."""
        return self.about_of(self.plan.totals)

    def about_of(self, totals: PlanTotals) -> Mapping[str, object]:
        """Return :attr:`about` with the given totals."""
        can, cannot = self.applied
        snapshot_id = self.plan.view.snapshot_id
        return {
            "snapshot_id": None if snapshot_id is None else str(snapshot_id),
            "schema_id": self.schema_id,
            "applied": list(can),
            "not_applied": not_applied_out(cannot),
            "counts": {
                "manifests": totals.manifests,
                "manifests_kept": totals.manifests_kept,
                "entries": totals.entries,
                "files": totals.files,
                "records": json_integer(totals.records),
                "bytes": json_integer(totals.bytes),
            },
            "stale": self.stale,
        }

    def tasks(self, files: int) -> Iterator[tuple[int, ...]]:
        """Yield the keys of the plan's parts, of about ``files`` files each; files to be read together share a part."""
        return cut(self.plan, files)

    def task(self, key: tuple[int, ...]) -> PlanListing:
        """Return one part of the plan.

        Raises:
            PageTokenInvalid: the key belongs to another plan.
        """
        return replace(self, plan=part_of_plan(self.plan, key))

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of ``batches``: a file's columns, ``deletes`` and ``residual``; its metadata describe the plan."""
        fields = [*self.plan.row_projection.schema, _DELETES, self._residual_field]
        return pa.schema(fields, metadata={"plan": dumps(self.about)})

    def page(self, after: Key | None, size: int) -> PlanPage:
        """Return at most ``size`` files after a key; None starts at the beginning."""
        start, limit = self._place(after)
        chosen: list[tuple[PlannedBatch, int]] = []
        numbers = np.zeros(0, np.int64)
        rows = weight = known = 0
        place: Position | None = None
        with tracing.span("plan", table=self.plan.view.table.name):
            for piece, size_in_bytes in self._pieces(start, limit):
                if rows >= size or weight + len(numbers) * DELETE_BYTES > PAGE_BYTES:
                    place = piece.position
                    break
                taken = piece if len(piece.rows) <= size - rows else piece.slice(0, size - rows)
                chosen.append((taken, size_in_bytes))
                numbers = np.union1d(numbers, taken.deletes) if len(taken.deletes) else numbers
                rows += len(taken.rows)
                weight += size_in_bytes
                known += 0 if limit is None else int(taken.surely_matching().sum())
                if len(taken.rows) < len(piece.rows):
                    place = piece.slice(len(taken.rows)).position
                    break
            key = None if place is None else (*place,) if limit is None else (*place, limit - known)
        with tracing.span("encode", files=rows):
            files = [*self._written(chosen, numbers)]
            is_whole = after is None and place is None and self.limit is None
            totals = self.plan.totals_of(piece for piece, _ in chosen) if is_whole else self.plan.totals
            return PlanPage(joined(files), joined([*map(json_items, self._deletes(numbers))]), key, totals, rows)

    def lines(self) -> Iterator[tuple[int, Written]]:
        """Yield the plan, then its files and delete files as JSON lines: some at a time, as their number and text."""
        yield 0, dumps({"plan": self.about}) + b"\n"
        for kind, batch in self._stream():
            struct = pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))
            yield batch.num_rows, json_lines(pa.RecordBatch.from_arrays([struct], names=[kind]))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield files and delete files in batches of ``schema``."""
        for _, batch in self._stream():
            yield conform(batch, self.schema)

    def _stream(self) -> Iterator[tuple[Kind, pa.RecordBatch]]:
        places = np.full(sum(table.num_rows for _, table in self.plan.scan.delete_tables), -1, np.int64)
        seen = 0
        for group in _groups(self._pieces(START, self.limit)):
            numbers = _deletes_of(group)
            if len(numbers):
                new = np.unique(numbers[places[numbers] < 0])
                places[new] = np.arange(seen, seen + len(new))
                seen += len(new)
                for batch in self._deletes(new):
                    yield "delete", batch
            yield "file", self._files(group, places[numbers])

    def _place(self, after: Key | None) -> tuple[Position, int | None]:
        if after is None:
            return START, self.limit
        part, offset, *limit = (int(number) for number in after)
        return Position(part, offset), limit[0] if limit else None

    def _pieces(self, start: Position, limit: int | None) -> Iterator[tuple[PlannedBatch, int]]:
        """Yield the plan's batches, cut so that each can be written at once, and their approximate bytes of JSON."""
        for batch in self.plan.batches(start) if limit is None else self.plan.limited(limit, start):
            count = len(batch.rows)
            texts = [self._residuals.length_of(residual) for residual in batch.residuals]
            text = texts[0] * count if len(texts) == 1 else int(np.array(texts, np.int64)[batch.residual].sum())
            size = sum(map(pa.ipc.get_record_batch_size, batch.entries.recorded.to_batches()))
            own = JSON_OF_ARROW * size + 8 * len(batch.deletes) + text
            step = max(1, count * JSON_OF_ARROW * CHUNK_BYTES // max(own, 1))
            for at in range(0, count, step):
                yield batch.slice(at, step), own * min(step, count - at) // count

    def _written(self, chosen: Iterable[tuple[PlannedBatch, int]], numbers: Numbers) -> Iterator[Written]:
        """Yield files as JSON, separated by commas; they reference delete files by positions in ``numbers``."""
        waiting: list[tuple[PlannedBatch, int]] = []
        for piece, weight in chosen:
            writers = writers_of(self.plan, piece, "files", self._members)
            if not writers:
                waiting.append((piece, weight))
                continue
            yield from self._put_together(waiting, numbers)
            waiting = []
            for own, writer in zip(piece.by_source(), writers, strict=True):
                after = [*self._deletes_after(own, numbers), *self._residual_after(own), "},"]
                yield writer.write(own.sources[0].rows, after)[:-1]
        yield from self._put_together(waiting, numbers)

    def _put_together(self, chosen: Iterable[tuple[PlannedBatch, int]], numbers: Numbers) -> Iterator[Written]:
        for group in _groups(chosen):
            yield json_items(self._files(group, np.searchsorted(numbers, _deletes_of(group))))

    def _deletes_after(self, piece: PlannedBatch, numbers: Numbers) -> list[RowPart]:
        if not len(piece.deletes):
            return [',"deletes":[]']
        return member(self._delete_lists([piece], np.searchsorted(numbers, piece.deletes)), _DELETES)

    def _residual_after(self, piece: PlannedBatch) -> list[RowPart]:
        if len(piece.residuals) > 1:
            return member(self._residual_texts(piece), self._residual_field)
        text = self._residuals.of(piece.residuals[0])
        return [f',"residual":{dumps(text).decode() if text is None or self.filter.is_sql else text}']

    def _members(self, part: ManifestPart, entries: pa.Table) -> list[RowPart]:
        """Return the JSON pieces of files, without those that depend on the plan."""
        return members(self.plan.row_projection.rows(part, entries))

    def _files(self, group: Sequence[PlannedBatch], places: Numbers) -> pa.RecordBatch:
        """Return the files of a group as rows; ``places`` are the numbers of their delete files."""
        tables = [piece.table for piece in group]
        entries = tables[0] if len(tables) == 1 else pa.concat_tables(tables, promote_options="default")
        rows = self.plan.row_projection_of(group[0]).rows(group[0].part, entries)
        deletes = self._delete_lists(group, places)
        residual = [self._residual_texts(piece) for piece in group]
        texts = residual[0] if len(group) == 1 else pa.concat_arrays(residual)
        return rows.append_column(_DELETES, deletes).append_column(self._residual_field, texts)

    def _delete_lists(self, group: Sequence[PlannedBatch], places: Numbers) -> pa.Array:
        """Return (N,) lists of the numbers of each file's delete files."""
        if not len(places):
            return _no_deletes(sum(len(piece.rows) for piece in group))
        counts = np.concatenate([np.diff(piece.delete_offsets) for piece in group])
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        return pa.ListArray.from_arrays(offsets, pa.array(places, pa.int64()))

    def _residual_texts(self, piece: PlannedBatch) -> pa.Array:
        texts = [self._residuals.of(residual) for residual in piece.residuals]
        if len(texts) == 1 and len(texts[0] or "") <= SHORT_TEXT:
            return repeated(texts[0], pa.string(), len(piece.rows))
        if len(texts) == 1:
            return pa.repeat(pa.scalar(texts[0], pa.string()), len(piece.rows))
        return pa.array(texts, pa.string()).take(pa.array(piece.residual))

    def _deletes(self, numbers: Numbers) -> Iterator[pa.RecordBatch]:
        for part, table in self.plan.delete_rows(numbers) if len(numbers) else ():
            yield from chunks(self.plan.row_projection.rows(part, table))

    @cached_property
    def _residual_field(self) -> pa.Field:
        return pa.field("residual", pa.string(), metadata=None if self.filter.is_sql else {JSON_TEXT: b"1"})

    @cached_property
    def _residuals(self) -> ResidualTexts[str | None]:
        return ResidualTexts(self.filter.residual)


_DELETES = pa.field("deletes", pa.list_(pa.int64()))


@lru_cache(maxsize=64)
def _no_deletes(files: int) -> pa.Array:
    """Return (N,) empty lists."""
    return pa.ListArray.from_arrays(repeated(0, pa.int32(), files + 1), pa.array([], pa.int64()))


def _deletes_of(group: Sequence[PlannedBatch]) -> Numbers:
    return np.concatenate([piece.deletes for piece in group])


def _groups(pieces: Iterable[tuple[PlannedBatch, int]]) -> Iterator[list[PlannedBatch]]:
    """Group neighbouring pieces that can be written as one: of one spec, each column of one type.

    This saves work for plans that touch many manifests.

    Args:
        pieces: each with its approximate bytes of JSON.
    """
    group: list[PlannedBatch] = []
    columns: dict[str, pa.Field] = {}
    weight = 0
    for piece, size_in_bytes in pieces:
        # Join only small pieces: joining copies them.
        fits = (
            bool(group)
            and weight + size_in_bytes <= CHUNK_BYTES
            and piece.part.manifest.header.spec_id == group[0].part.manifest.header.spec_id
            and piece.branch == group[0].branch
        )
        if fits:
            columns = columns or _columns(group[0])
            own = _columns(piece)
            fits = all(columns.get(name, column).equals(column, check_metadata=True) for name, column in own.items())
            columns |= own
        if group and not fits:
            yield group
            group, columns, weight = [], {}, 0
        group.append(piece)
        weight += size_in_bytes
    if group:
        yield group


def _columns(piece: PlannedBatch) -> dict[str, pa.Field]:
    return {column.name: column for column in piece.table.schema}
