"""Parsers of Paimon's manifest lists, manifests and index manifests: bytes to headers and aligned columns.

A manifest's columns are those of ``metadata.files``; nothing is inherited or left out. Fields that the writer's
version lacks read as null. ``_VERSION`` is a constant marker of the layout, not a counter: any other value is refused.

Source: Paimon ``ManifestFileMeta``, ``ManifestEntry``, ``DataFileMeta``.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import FormatUnsupported, MetadataCorrupt
from lakemuster.formats.paimon.binary_row import Misfit, SerializedRows
from lakemuster.formats.paimon.columns import Columns, without_inverted_bounds
from lakemuster.formats.paimon.orc_bounds import usable_bounds
from lakemuster.formats.paimon.parquet_bounds import FilesOfManifest, usable_statistics
from lakemuster.formats.paimon.records import Records, check_names
from lakemuster.formats.paimon.simple_stats import (
    Schemas,
    Stats,
    add_key_statistics,
    add_keys,
    add_value_statistics,
)
from lakemuster.metadata.files import (
    ADDED,
    DELETED,
    PAIMON_COLUMNS,
    PAIMON_INDEX_COLUMNS,
    column,
    typed_field,
)
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import MAIN, ManifestHeader, PartitionFieldSummary, TableMetadata
from lakemuster.metadata.types import Field, Primitive

MANIFEST_LIST_VERSION = 2
MANIFEST_VERSION = 2
INDEX_MANIFEST_VERSION = 1

_FILE_COLUMNS = {
    "file_name": "_FILE_NAME",
    "file_size_in_bytes": "_FILE_SIZE",
    "record_count": "_ROW_COUNT",
    "min_sequence_number": "_MIN_SEQUENCE_NUMBER",
    "max_sequence_number": "_MAX_SEQUENCE_NUMBER",
    "schema_id": "_SCHEMA_ID",
    "level": "_LEVEL",
    "extra_files": "_EXTRA_FILES",
    "creation_time": "_CREATION_TIME",
    "delete_row_count": "_DELETE_ROW_COUNT",
    "embedded_file_index": "_EMBEDDED_FILE_INDEX",
    "file_source": "_FILE_SOURCE",
    "value_stats_cols": "_VALUE_STATS_COLS",
    "external_path": "_EXTERNAL_PATH",
    "first_row_id": "_FIRST_ROW_ID",
    "write_cols": "_WRITE_COLS",
    "write_cols_sequences": "_WRITE_COLS_SEQUENCES",
}
_REQUIRED = ("file_name", "file_size_in_bytes", "record_count", "schema_id", "level")
_COUNTED = ("file_size_in_bytes", "record_count", "row_count")

_DELETION_VECTORS = {"f0": "data_file", "f1": "offset", "f2": "length", "_CARDINALITY": "cardinality"}
_GLOBAL_INDEX = {
    "_ROW_RANGE_START": "row_range_start",
    "_ROW_RANGE_END": "row_range_end",
    "_INDEX_FIELD_ID": "index_field_id",
    "_EXTRA_FIELD_IDS": "extra_field_ids",
    "_INDEX_META": "index_meta",
    "_SOURCE_META": "source_meta",
}


def parse_manifest_list(data: bytes, table: TableMetadata, root: str, *, branch: str = MAIN) -> list[ManifestHeader]:
    """Read a manifest list: one header per manifest, in the list's order.

    Args:
        data: the file, in any of the three containers.
        table: the table, for the partition columns' types.
        root: the table's root; all manifests are below its ``manifest/``, including those of branches.
        branch: the branch whose snapshot names the list.

    Raises:
        MetadataCorrupt: not a manifest list.
        FormatUnsupported: a layout before 0.4, or one not known yet.
    """
    records = Records.of(data, MANIFEST_LIST_VERSION)
    names = records.names("_FILE_NAME")
    sizes = records.counts("_FILE_SIZE")
    added, deleted = records.counts("_NUM_ADDED_FILES"), records.counts("_NUM_DELETED_FILES")
    partitions = _partition_summaries(records, partition_fields(_latest(table, branch)))
    schema_ids = records.column("_SCHEMA_ID", pa.int64(), required=True).to_pylist()
    optional = {
        name: records.column(f"_{name.upper()}", pa.int64()).to_pylist()
        for name in ("min_bucket", "max_bucket", "min_level", "max_level", "min_row_id", "max_row_id", "total_buckets")
    }
    extra_files = records.column("_EXTRA_FILES", pa.list_(pa.string()))
    check_names(extra_files.flatten())
    extras: list[list[str] | None] = extra_files.to_pylist()
    return [
        ManifestHeader(
            location=f"{root}/manifest/{name}",
            length=sizes[i],
            added_files_count=added[i],
            deleted_files_count=deleted[i],
            partitions=partitions[i],
            schema_id=schema_ids[i],
            extra_files=None if (extra := extras[i]) is None else tuple(extra),
            **{key: values[i] for key, values in optional.items()},
        )
        for i, name in enumerate(names)
    ]


def parse_manifest(data: bytes, header: ManifestHeader, table: TableMetadata, *, branch: str = MAIN) -> pa.Table:
    """Read a manifest: one row per entry, in the manifest's order.

    Args:
        data: the file, in any of the three containers.
        header: its row of the manifest list; its counts are checked if the file's length differs from the header's.
        table: the table, for its schemas.
        branch: the branch whose schemas the manifest's files have.

    Returns:
        The columns of ``PAIMON_COLUMNS``, ``partition.<id>`` of every partition column, then the
        keys and statistics that any entry has.

    Raises:
        MetadataCorrupt: not a manifest, or not the one that its header describes.
        FormatUnsupported: another layout, or partition values that cannot be represented.
    """
    records = Records.of(data, MANIFEST_VERSION)
    files = records.struct("_FILE")
    status = _status(records)
    for listed, kind in ((header.added_files_count, ADDED), (header.deleted_files_count, DELETED)):
        # A file of the recorded length, decoded to its last byte, has all its entries.
        if header.length != len(data) and listed not in (None, found := int((status == kind).sum())):
            raise MetadataCorrupt(
                "a manifest has different entries than its list counts",
                location=header.location,
                listed=listed,
                found=found,
            )
    arrays: dict[str, pa.Array] = {
        "status": pa.array(status),
        "bucket": records.column("_BUCKET", pa.int32(), required=True),
        "total_buckets": records.column("_TOTAL_BUCKETS", pa.int32()),
    }
    for name, source in _FILE_COLUMNS.items():
        arrays[name] = files.column(source, PAIMON_COLUMNS[name], required=name in _REQUIRED)
    _check_own(arrays)
    fields = [pa.field(name, form) for name, form in PAIMON_COLUMNS.items()]
    values = [arrays[name] for name in PAIMON_COLUMNS]
    for field, array in _partitions(records, _latest(table, branch)):
        fields.append(field)
        values.append(array)
    more = Columns(records.count)
    if records.count:
        schemas, ids = _schemas(table, branch), arrays["schema_id"]
        least, greatest = files.column("_MIN_KEY", pa.binary()), files.column("_MAX_KEY", pa.binary())
        add_keys(more, least, greatest, ids, arrays["level"], schemas)
        add_key_statistics(more, files.struct_array("_KEY_STATS"), ids, schemas)
        add_value_statistics(
            more, files.struct_array("_VALUE_STATS"), ids, arrays["value_stats_cols"], arrays["write_cols"], schemas
        )
    names, sizes, rows = arrays["file_name"], arrays["file_size_in_bytes"], arrays["record_count"]
    own = FilesOfManifest(names, sizes, rows, arrays["schema_id"], _schemas(table, branch))
    usable = usable_statistics(usable_bounds(more.build(), names, rows), own)
    for field, array in without_inverted_bounds(usable):
        fields.append(field)
        values.append(array)
    return pa.Table.from_arrays(values, schema=pa.schema(fields))


def parse_index_manifest(data: bytes, table: TableMetadata, *, branch: str = MAIN) -> pa.Table:
    """Read an index manifest: the complete list of a snapshot's index files.

    Returns:
        The columns of ``PAIMON_INDEX_COLUMNS`` and ``partition.<id>`` of every partition column.

    Raises:
        MetadataCorrupt: not an index manifest.
        FormatUnsupported: another layout, or partition values that cannot be represented.
    """
    records = Records.of(data, INDEX_MANIFEST_VERSION)
    arrays: dict[str, pa.Array] = {
        "status": pa.array(_status(records)),
        "bucket": records.column("_BUCKET", pa.int32(), required=True),
        "index_type": records.column("_INDEX_TYPE", pa.string(), required=True),
        "file_name": records.column("_FILE_NAME", pa.string(), required=True),
        "file_size_in_bytes": records.column("_FILE_SIZE", pa.int64(), required=True),
        "row_count": records.column("_ROW_COUNT", pa.int64(), required=True),
        "deletion_vectors": _deletion_vectors(records),
        "external_path": records.column("_EXTERNAL_PATH", pa.string()),
        "global_index": _renamed(
            records.struct_array("_GLOBAL_INDEX"), _GLOBAL_INDEX, PAIMON_INDEX_COLUMNS["global_index"]
        ),
    }
    _check_own(arrays)
    partitions = list(_partitions(records, _latest(table, branch)))
    fields = [pa.field(name, form) for name, form in PAIMON_INDEX_COLUMNS.items()]
    return pa.Table.from_arrays(
        [*(arrays[name] for name in PAIMON_INDEX_COLUMNS), *(array for _, array in partitions)],
        schema=pa.schema([*fields, *(field for field, _ in partitions)]),
    )


def partition_fields(schema: Schema) -> list[Field]:
    """Return the partition columns, in the order of the partition keys."""
    columns = {field.name: field for field in schema.fields}
    return [columns[name] for name in schema.partition_keys]


def _status(records: Records) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    kinds = records.column("_KIND", pa.int8(), required=True).to_numpy(zero_copy_only=False)
    if not np.isin(kinds, (0, 1)).all():
        raise MetadataCorrupt("an entry is neither ADD nor DELETE")
    return np.where(kinds == 0, ADDED, DELETED).astype(np.int8)


def _check_own(arrays: Mapping[str, pa.Array]) -> None:
    check_names(arrays["file_name"])
    if "extra_files" in arrays:
        check_names(arrays["extra_files"].flatten())
    for name in _COUNTED:
        if (array := arrays.get(name)) is not None and len(array) and (pc.min(array).as_py() or 0) < 0:
            raise MetadataCorrupt("a count of manifest metadata is negative", column=name)


def _partitions(records: Records, schema: Schema) -> list[tuple[pa.Field, pa.Array]]:
    fields = partition_fields(schema)
    types = [field.type if isinstance(field.type, Primitive) else None for field in fields]
    if None in types:
        raise FormatUnsupported("a partition column has a nested type", columns=list(schema.partition_keys))
    rows = SerializedRows.of(records.column("_PARTITION", pa.binary(), required=True))
    partitions = []
    for field, values in zip(fields, rows.decode(types, Misfit.REFUSE), strict=True):
        assert values is not None  # REFUSE raises instead of returning None
        partitions.append((typed_field(column("partition", field.field_id), values.type, field.type.text), values))
    return partitions


def _partition_summaries(records: Records, fields: list[Field]) -> list[tuple[PartitionFieldSummary, ...] | None]:
    stats = Stats.of(records.struct_array("_PARTITION_STATS"))
    types = [field.type if isinstance(field.type, Primitive) else None for field in fields]
    known = (stats.minima.arity == len(fields)) & (stats.maxima.arity == len(fields))
    place = np.flatnonzero(known)
    lower, upper = (
        _plain(rows.take(place).decode(types, Misfit.NULL), len(place)) for rows in (stats.minima, stats.maxima)
    )
    null_counts = stats.null_counts.to_pylist()
    summaries: list[tuple[PartitionFieldSummary, ...] | None] = [None] * records.count
    for at, i in enumerate(place.tolist()):
        counts = null_counts[i]
        counts = counts if counts is not None and len(counts) == len(fields) else [None] * len(fields)
        summaries[i] = tuple(
            PartitionFieldSummary(
                field_id=field.field_id,
                name=field.name,
                contains_null=None if count is None else count > 0,
                lower=low[at],
                upper=high[at],
                null_count=count,
            )
            for field, count, low, high in zip(fields, counts, lower, upper, strict=True)
        )
    return summaries


def _plain(arrays: list[pa.Array | None], count: int) -> list[list[object]]:
    """Return Arrow values in internal form: dates, times and timestamps as integers of their unit."""
    plain: list[list[object]] = []
    for array in arrays:
        if array is None:
            plain.append([None] * count)
        elif pa.types.is_temporal(array.type):
            plain.append(array.view(pa.int32() if array.type.bit_width == 32 else pa.int64()).to_pylist())
        else:
            plain.append(array.to_pylist())
    return plain


def _deletion_vectors(records: Records) -> pa.Array:
    form = PAIMON_INDEX_COLUMNS["deletion_vectors"]
    lists = records.get("_DELETIONS_VECTORS_RANGES")
    if lists is None:
        return pa.nulls(records.count, form)
    if not pa.types.is_list(lists.type) or not pa.types.is_struct(lists.type.value_type):
        raise MetadataCorrupt("deletion vector ranges have the wrong type")
    ranges = _renamed(lists.flatten(), _DELETION_VECTORS, form.value_type)
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(offsets), ranges, type=form, mask=lists.is_null() if lists.null_count else None
    )


def _renamed(structs: pa.StructArray, names: Mapping[str, str], form: pa.StructType) -> pa.StructArray:
    """Return a struct array with the members of ``form``, under its names and types."""
    members = Records.within(structs)
    arrays = [members.column(source, form.field(name).type) for source, name in names.items()]
    mask = structs.is_null() if structs.null_count else None
    return pa.StructArray.from_arrays(arrays, fields=[form.field(name) for name in names.values()], mask=mask)


def _schemas(table: TableMetadata, branch: str) -> Schemas:
    return {schema.schema_id: schema for schema in _branch_schemas(table, branch)}


def _latest(table: TableMetadata, branch: str) -> Schema:
    return max(_branch_schemas(table, branch), key=lambda schema: schema.schema_id)


def _branch_schemas(table: TableMetadata, branch: str) -> tuple[Schema, ...]:
    schemas = table.schemas if branch == MAIN else table.branch_schemas.get(branch, ())
    if not schemas:
        raise MetadataCorrupt("a branch without a schema", branch=branch)
    return schemas
