"""Write a plan as responses of the protocol: file scan tasks with their delete files, and plan tasks for the rest.

A response is limited in files and bytes. A plan that fits is returned whole, at once. Otherwise the first response
holds plan tasks only, each for a range of the plan. Redeeming a plan task evaluates its range; if that exceeds one
response, the response ends with a plan task for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster import tracing
from lakemuster.catalog.attached import is_attached
from lakemuster.catalog.iceberg_rest.clients import IcebergClient, client_must_plan
from lakemuster.catalog.iceberg_rest.plan_tokens import PlanTokens, Range
from lakemuster.catalog.iceberg_rest.scans import PlannedScan
from lakemuster.catalog.page_writers import writers_of
from lakemuster.catalog.residual_texts import ResidualTexts
from lakemuster.errors import FormatUnsupported, RequestInvalid
from lakemuster.formats.iceberg.values import raw_bounds
from lakemuster.metadata.files import POSITION_DELETES
from lakemuster.metadata.partition import PartitionField, PartitionSpec
from lakemuster.planner.columns import single_array
from lakemuster.planner.row_projection import ManifestPart
from lakemuster.planner.rows import START, Position
from lakemuster.planner.scan.plan import PlannedBatch
from lakemuster.storage.locations import Rewrites, with_schemes
from lakemuster.wire.documents import exact
from lakemuster.wire.iceberg_rest.content_files import (
    ContentFiles,
    References,
    data_file,
    delete_files,
    file_scan_tasks,
    has_odd_floats,
    has_statistics,
    readable_by_pyiceberg,
    task_end,
)
from lakemuster.wire.iceberg_rest.expressions import emit_expression
from lakemuster.wire.rows import Written

MAX_FILES = 10_000
"""Maximum files of one response."""
MAX_BYTES = 16 * 2**20
"""Approximate maximum bytes of one response."""
MAX_ENTRIES = 1_000_000
"""Maximum entries that are evaluated for a first response; a larger plan is answered with plan tasks."""
MAX_TASK_BYTES = 4 * 2**20
"""Maximum bytes of the plan tasks of one response."""
MAX_TOKEN_BYTES = 2**20 - 1024
"""Maximum bytes of a plan task, which is sent back in a request's body."""

_JSON_OF_ARROW = 3
_BYTES_OF_FILE, _BYTES_OF_DELETE = 400, 1000


@dataclass(frozen=True, slots=True)
class Collected:
    """Files of a plan that fit into one response; ``after`` is the position of the first one that does not."""

    pieces: tuple[PlannedBatch, ...]
    deletes: NDArray[np.int64]
    after: Position | None


@dataclass(frozen=True)
class TaskWriter:
    """Writes the responses of one scan.

    Attributes:
        client: the client that receives them.
    """

    planned: PlannedScan
    tokens: PlanTokens
    client: IcebergClient = field(default_factory=IcebergClient)
    _written: list[int] = field(default_factory=list, init=False, compare=False)

    @property
    def files(self) -> int:
        """The number of files in the responses written so far."""
        return sum(self._written)

    def first(self) -> bytes:
        """Return the response to a plan request: a completed plan."""
        scan, plan = self.planned.scan, self.planned.plan
        plan_id = b'"status":"completed","plan-id":"%s",' % self.tokens.plan_id(scan).encode()
        entries = plan.survivors.entries
        if entries <= MAX_ENTRIES:
            found = self._collect(plan.batches() if scan.min_rows is None else plan.limited(scan.min_rows))
            if found.after is None:
                return self._answer(found, [], plan_id)
        return self._answer(_NOTHING, self._later(entries), plan_id)

    def later(self, of: Range) -> bytes:
        """Return the response to a plan task."""
        start, end = of
        found = self._collect(self.planned.plan.batches(start, end))
        rest = [] if found.after is None else self.tokens.plan_tasks(self.planned.scan, [(found.after, end)])
        return self._answer(found, rest)

    def _later(self, entries: int) -> list[str]:
        """Return plan tasks for the whole plan; if its filter makes each one large, return fewer."""
        scan, plan = self.planned.scan, self.planned.plan
        [one] = self.tokens.plan_tasks(scan, [(START, None)])
        if len(one) > MAX_TOKEN_BYTES:
            raise RequestInvalid(f"this filter is too large to plan {entries} files with: simplify it")
        most = max(1, MAX_TASK_BYTES // len(one))
        ranges = plan.ranges(max(MAX_FILES, -(-entries // most)))
        return self.tokens.plan_tasks(scan, ranges)

    def _collect(self, batches: Iterable[PlannedBatch]) -> Collected:
        with tracing.span("plan", table=self.planned.view.table.name):
            return self._collected(batches)

    def _collected(self, batches: Iterable[PlannedBatch]) -> Collected:
        pieces: list[PlannedBatch] = []
        deletes = np.zeros(0, np.int64)
        files = weight = 0
        for piece, size in self._pieces(batches):
            known = np.union1d(deletes, piece.deletes)
            if files and (
                files + len(piece.rows) > MAX_FILES or weight + size + len(known) * _BYTES_OF_DELETE > MAX_BYTES
            ):
                return Collected(tuple(pieces), deletes, piece.position)
            pieces.append(piece)
            deletes = known
            files += len(piece.rows)
            weight += size
        return Collected(tuple(pieces), deletes, None)

    def _pieces(self, batches: Iterable[PlannedBatch]) -> Iterator[tuple[PlannedBatch, int]]:
        """Yield batches in pieces that are small compared with a response, and their approximate bytes of JSON."""
        for batch in batches:
            count = len(batch.rows)
            texts = np.array([self._residuals.length_of(residual) for residual in batch.residuals], np.int64)
            arrow = sum(map(pa.ipc.get_record_batch_size, batch.entries.recorded.to_batches()))
            size = _JSON_OF_ARROW * arrow + _BYTES_OF_FILE * count + 8 * len(batch.deletes)
            size += int(texts[batch.residual].sum())
            step = max(1, min(MAX_FILES // 10, count * MAX_BYTES // (10 * size)))
            for at in range(0, count, step):
                piece = batch.slice(at, step)
                yield piece, size * len(piece.rows) // count

    def _answer(self, found: Collected, plan_tasks: list[str], status: bytes = b"") -> bytes:
        files = sum(len(piece.rows) for piece in found.pieces)
        with tracing.span("encode", files=files):
            answer = self._encoded(found, plan_tasks, status)
        self._written.append(files)
        return answer

    def _encoded(self, found: Collected, plan_tasks: list[str], status: bytes) -> bytes:
        self._require_deletes_to_be_found(found)
        self._require_partitions_to_be_read(found)
        # Position deletes name data files by the recorded location: clients would not match another spelling of it.
        as_recorded = bool(np.isin(found.deletes, self._position_deletes(found)).any())
        deletes = [
            delete_files(self._files(part, table, as_recorded))
            for part, table in self.planned.plan.delete_rows(found.deletes)
        ]
        tasks = [written for piece in found.pieces for written in self._tasks(piece, found.deletes, as_recorded)]
        head = b'{%s"plan-tasks":%s,"delete-files":[' % (status, orjson.dumps(plan_tasks))
        between = b'],"file-scan-tasks":['
        return b"".join((head, *_with_commas(deletes), between, *_with_commas(tasks), b"]}"))

    def _tasks(self, piece: PlannedBatch, deletes: NDArray[np.int64], as_recorded: bool) -> Iterator[Written]:
        how = ("tasks", self.planned.view.metadata.current_schema_id, self.client.is_pyiceberg, as_recorded)
        writers = writers_of(
            self.planned.plan, piece, how, lambda part, table: data_file(self._files(part, table, as_recorded))
        )
        if not writers:
            references = References(piece.delete_offsets, np.searchsorted(deletes, piece.deletes))
            residuals = [self._residuals.of(residual) for residual in piece.residuals]
            yield file_scan_tasks(
                self._files(piece.part, piece.table, as_recorded), references, residuals, piece.residual
            )
        for own, writer in zip(piece.by_source() if writers else (), writers, strict=True):
            references = References(own.delete_offsets, np.searchsorted(deletes, own.deletes))
            residuals = [self._residuals.of(residual) for residual in own.residuals]
            end = task_end(references, residuals, own.residual)
            yield writer.write(own.sources[0].rows, [*end, ","])[:-1]

    def _files(self, part: ManifestPart, table: pa.Table, as_recorded: bool = True) -> ContentFiles:
        metadata = self.planned.view.metadata
        spec_id = part.manifest.header.spec_id
        specs = {spec.spec_id: spec for spec in metadata.specs}
        schemas = {schema.schema_id: schema for schema in metadata.schemas}
        return ContentFiles(
            table,
            specs.get(spec_id) or PartitionSpec(spec_id, ()),
            schemas[metadata.current_schema_id],
            self._rewrites.apply_array if as_recorded else self._with_schemes,
            frozenset(self.planned.scan.statistics),
            raw_bounds,
            self.client.is_pyiceberg,
        )

    @cached_property
    def _residuals(self) -> ResidualTexts[str]:
        return ResidualTexts(lambda residual: exact(emit_expression(residual, self.planned.scan.filter)).decode())

    def _require_partitions_to_be_read(self, found: Collected) -> None:
        """Refuse partition values that the client cannot read, in files where it uses them.

        Raises:
            ClientMustPlan: there are such values.
        """
        if self.client.is_java:
            self._require_finite(found)
        if not self.client.is_pyiceberg:
            return
        for piece in found.pieces:
            fields = self._unreadable_by_pyiceberg(piece.part, piece.table)
            if not fields:
                continue
            plan = replace(self.planned.plan, statistics=frozenset(part.source_ids[0] for part in fields))
            for batch in plan.batches(piece.position, piece.after):
                for part, untold in self._unreadable_by_pyiceberg(batch.part, batch.table).items():
                    if (untold & ~has_statistics(batch.table, part.source_ids[0])).any():
                        raise client_must_plan(
                            self.planned,
                            f"plans cannot give PyIceberg every value of the partition field {part.name}, and data "
                            "files may lack its column",
                        )

    def _require_finite(self, found: Collected) -> None:
        files = [self._files(piece.part, piece.table) for piece in found.pieces]
        files += [self._files(part, table) for part, table in self.planned.plan.delete_rows(found.deletes)]
        if any(map(has_odd_floats, files)):
            raise client_must_plan(
                self.planned, "Iceberg's Java library cannot read partition values of NaN or infinity"
            )

    def _unreadable_by_pyiceberg(self, of: ManifestPart, table: pa.Table) -> dict[PartitionField, NDArray[np.bool_]]:
        """Return the fields that PyIceberg may use, each with an (N,) mask of the files whose value it cannot read."""
        files = self._files(of, table)
        return {
            part: ~told
            for part, told in readable_by_pyiceberg(files)
            if part.transform == "identity" and part.source_ids[0] in files.schema.by_id and not told.all()
        }

    @property
    def _rewrites(self) -> Rewrites:
        return Rewrites(self.planned.view.table.rewrites)

    def _with_schemes(self, locations: pa.Array) -> pa.Array:
        """Return the locations of files after rewrites, bare paths as URLs.

        Clients of an attached catalog have read the table's own metadata: they are given its spelling.
        """
        spelled = self._rewrites.apply_array(locations)
        return spelled if is_attached(self.planned.view.table) else with_schemes(spelled)

    def _position_deletes(self, found: Collected) -> NDArray[np.int64]:
        """Return the numbers of the plan's position deletes; empty if no delete file was found."""
        if not len(found.deletes):
            return found.deletes
        first = 0
        numbers: list[NDArray[np.int64]] = []
        for _, table in self.planned.plan.scan.delete_tables:
            is_one = pc.equal(single_array(table.column("content")), POSITION_DELETES)
            numbers.append(first + np.flatnonzero(is_one.to_numpy(zero_copy_only=False)))
            first += table.num_rows
        return np.concatenate(numbers)

    def _require_deletes_to_be_found(self, found: Collected) -> None:
        """Refuse position deletes of data files that were moved: they name the files by their old locations.

        Readers compare that name with the data file's location: they would silently not apply the deletes.
        """
        if not self.planned.view.table.rewrites or not len(found.deletes):
            return
        by_position = self._position_deletes(found)
        for piece in found.pieces:
            has = np.add.reduceat(np.append(np.isin(piece.deletes, by_position), False), piece.delete_offsets[:-1])
            deleted_from = np.where(np.diff(piece.delete_offsets) > 0, has, 0) > 0
            paths = single_array(piece.table.column("file_path")).filter(pa.array(deleted_from))
            if not self._rewrites.apply_array(paths).equals(paths):
                raise FormatUnsupported(
                    "this table was moved, and its position deletes refer to data files at their old locations: "
                    "clients would not apply them; rewrite the data files without deletes, or the table's paths"
                )


def _with_commas(items: Iterable[Written]) -> list[Written]:
    return [part for item in items for part in (b",", item)][1:]


_NOTHING = Collected((), np.zeros(0, np.int64), None)
