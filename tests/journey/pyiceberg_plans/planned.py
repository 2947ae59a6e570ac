"""A table at one snapshot, planned by PyIceberg and by Lakemuster, and the rows of its files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.catalog.rest.scan_planning import PlanTableScanRequest
from pyiceberg.conversions import from_bytes
from pyiceberg.expressions import AlwaysTrue, BooleanExpression
from pyiceberg.expressions.literals import literal
from pyiceberg.expressions.visitors import ResidualEvaluator
from pyiceberg.io import FileIO
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.table import FileScanTask, ManifestGroupPlanner
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record
from pyiceberg.types import PrimitiveType, StructType, UUIDType

from lakemuster.planner.scan.plan import Plan
from lakemuster.planner.scan.scan_index import ScanIndex
from lakemuster.predicates import Bound, bind
from lakemuster.wire.iceberg_rest.expressions import parse_expression

Row = Mapping[int, Any]
"""Values in internal form by field id; null values may be absent."""
ROWS_OF_A_FILE = 20


class Planner(ManifestGroupPlanner):
    """PyIceberg's planner; a file whose residual cannot be computed has None as residual."""

    def _build_residual_evaluator(self, spec_id: int) -> Callable[[DataFile], Any]:
        made = super()._build_residual_evaluator(spec_id)
        return lambda file: _Residuals(made(file))


class _Residuals:
    def __init__(self, inner: ResidualEvaluator) -> None:
        self._inner = inner

    def residual_for(self, partition: Record) -> BooleanExpression | None:
        try:
            return self._inner.residual_for(partition)
        except TypeError as error:
            if "'NoneType'" in str(error) and None in (partition[at] for at in range(len(partition))):
                return None
            raise


@dataclass(frozen=True)
class File:
    """A file of Lakemuster's plan; its deletes by content and path."""

    residual: Bound
    deletes: frozenset[tuple[int, str]]


@dataclass(frozen=True)
class PlannedTable:
    """A table at one snapshot.

    Attributes:
        folder: the folder of its data files, at any depth.
    """

    name: str
    metadata: TableMetadata
    snapshot_id: int
    io: FileIO
    scan: ScanIndex
    folder: Path

    def theirs(self, expression: BooleanExpression) -> dict[str, FileScanTask]:
        """Return PyIceberg's own plan without equality deletes, which it refuses.

        A task's residual is None if PyIceberg fails to compute it.
        """
        snapshot = self.metadata.snapshot_by_id(self.snapshot_id)
        assert snapshot is not None
        planner = Planner(self.metadata, self.io, expression)
        tasks = planner.plan_files(
            snapshot.manifests(self.io),
            lambda entry: entry.data_file.content != DataFileContent.EQUALITY_DELETES,
        )
        return {task.file.file_path: task for task in tasks}

    def bound(self, expression: BooleanExpression) -> Bound:
        """Bind PyIceberg's request to the schema as a server does."""
        sent = PlanTableScanRequest(filter=expression).model_dump_json(by_alias=True, exclude_none=True)
        metadata = self.scan.view.metadata
        schema = next(schema for schema in metadata.schemas if schema.schema_id == metadata.current_schema_id)
        return bind(parse_expression(json.loads(sent)["filter"]), schema, negations_match_null=True, nan="none")

    def ours(self, bound: Bound) -> dict[str, File]:
        """Return Lakemuster's plan."""
        plan = Plan(self.scan, bound)
        found: dict[str, File] = {}
        for batch in plan.batches():
            for at, path in enumerate(batch.table.column("file_path").to_pylist()):
                numbers = batch.deletes[batch.delete_offsets[at] : batch.delete_offsets[at + 1]]
                deletes = frozenset(delete for _, table in plan.delete_rows(numbers) for delete in _deletes(table))
                found[path] = File(batch.residuals[batch.residual[at]], deletes)
        return found

    @cached_property
    def files(self) -> dict[str, DataFile]:
        """All data files."""
        return {path: task.file for path, task in self.theirs(AlwaysTrue()).items()}

    @cached_property
    def rows(self) -> dict[str, list[Row]]:
        """The first rows of each file; none if the file is missing or is no Parquet file."""
        return {path: list(self._rows(file)) for path, file in self.files.items()}

    def _rows(self, file: DataFile) -> Iterator[Row]:
        found = list(self.folder.rglob(file.file_path.rsplit("/", 1)[-1]))
        if not found or file.file_format != FileFormat.PARQUET:
            return
        table = pq.ParquetFile(found[0]).read().slice(0, ROWS_OF_A_FILE)
        columns = dict(self._leaves(table.schema, [column.combine_chunks() for column in table.columns], ""))
        schema = self.metadata.schema()
        for field_id in schema.field_ids - columns.keys():
            default = schema.find_field(field_id).initial_default
            columns[field_id] = [None if default is None else literal(default).value] * table.num_rows
        for at, part in enumerate(self.metadata.specs()[file.spec_id].fields):
            if isinstance(part.transform, IdentityTransform):  # some writers omit the column from the file
                columns[part.source_id] = [file.partition[at]] * table.num_rows
        uuids = {i for i in columns if i in schema.field_ids and isinstance(schema.find_type(i), UUIDType)}
        for values in zip(*columns.values(), strict=True):
            yield {
                i: UUID(bytes=value) if isinstance(value, bytes) and i in uuids else value
                for i, value in zip(columns, values, strict=True)
            }

    def _leaves(
        self, fields: Iterable[pa.Field], arrays: Sequence[pa.Array], prefix: str
    ) -> Iterator[tuple[int, list[Any]]]:
        """Yield the columns by field id: the file's own, or else that of the name."""
        for field, array in zip(fields, arrays, strict=True):
            recorded = (field.metadata or {}).get(b"PARQUET:field_id")
            if pa.types.is_struct(field.type):
                yield from self._leaves(field.type, array.flatten(), f"{prefix}{field.name}.")
            elif recorded is not None and not pa.types.is_nested(field.type):
                yield int(recorded), _internal(array)
            elif (found := self.metadata.schema()._name_to_id.get(prefix + field.name)) is not None:
                yield found, _internal(array)

    def known(self, field_id: int) -> set[Any]:
        """Return the values of a column in rows, partitions and statistics, in PyIceberg's form."""
        of = self.metadata.schema().find_type(field_id)
        found = {row.get(field_id) for rows in self.rows.values() for row in rows}
        for file in self.files.values():
            for bounds in (file.lower_bounds, file.upper_bounds):
                if (raw := (bounds or {}).get(field_id)) is not None and isinstance(of, PrimitiveType):
                    found.add(from_bytes(of, raw))
        return {value.bytes if isinstance(value, UUID) else value for value in found}

    def record(self, row: Row) -> Record:
        """Return a row in the form of PyIceberg's evaluators."""
        return _record(self.metadata.schema().as_struct(), row)


def _record(of: StructType, row: Row) -> Record:
    def value(field_id: int) -> Any:
        found = row.get(field_id)
        return found.bytes if isinstance(found, UUID) else found

    return Record(
        *(
            _record(field.field_type, row) if isinstance(field.field_type, StructType) else value(field.field_id)
            for field in of.fields
        )
    )


def _deletes(table: pa.Table) -> Iterator[tuple[int, str]]:
    return zip(table.column("content").to_pylist(), table.column("file_path").to_pylist(), strict=True)


def _internal(array: pa.Array) -> list[Any]:
    kind = array.type
    if isinstance(array, pa.ExtensionArray):
        return [None if value is None else UUID(bytes=value) for value in array.storage.to_pylist()]
    if pa.types.is_timestamp(kind):
        array = array.cast(pa.timestamp("us", kind.tz)).view(pa.int64())
    elif pa.types.is_time(kind):
        array = array.cast(pa.time64("us")).view(pa.int64())
    elif pa.types.is_date32(kind):
        array = array.view(pa.int32())
    values: list[Any] = array.to_pylist()
    return values
