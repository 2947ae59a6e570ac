"""Locations of a Paimon table's files: data files, extra files and index files.

A location consists of the partition's directory, the bucket's directory and the file name, unless the entry has an
external path. Directory names are computed once per distinct partition, everything else on whole columns. Partition
values are spelled as in Java, in the table's legacy style (the default: ``toString()`` of the internal value) or as a
cast to string.

Two spellings cannot be derived from metadata: a local-zone timestamp in the new style is written in its writer's time
zone (read here as UTC), and a binary value in the legacy style is the identity of a Java object, which is refused.

Source: Paimon ``FileStorePathFactory``, ``DataFilePathFactory``, ``IndexFileHandler``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.errors import MetadataCorrupt
from lakemuster.formats.paimon.columns import Index, combine, groups, value_codes
from lakemuster.formats.paimon.partition_names import DEFAULT_NAME, directory
from lakemuster.metadata.files import column
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import TableMetadata
from lakemuster.metadata.types import Primitive

POSTPONE_BUCKET = -2

_COMPACTED = "compacted-changelog-"
_SLICE = re.compile(r"(?P<stem>compacted-changelog-[^$/]*)\$(?P<bucket>\d+)-(?P<length>\d+)-\d+-\d+\.(?P<format>[^/]+)")


def data_file_paths(
    table: pa.Table, location: str, metadata: TableMetadata, schemas: Sequence[Schema] = ()
) -> pa.Array:
    """Return the full location of each entry's file; for a compacted changelog, the file that holds its bytes.

    Args:
        table: entries in the shape of ``metadata.files``: partitions, ``bucket``, ``file_name``, ``external_path``.
        location: the table's root, which also holds the data of branches.
        metadata: the table.
        schemas: schemas of the entries' branch; main's when empty. The newest schema's options apply.

    Returns:
        A string array aligned with ``table``.

    Raises:
        FormatUnsupported: a partition's directory cannot be derived.
    """
    latest = _latest(metadata, schemas)
    names = _flat(table, "file_name", pa.string())
    paths = _joined(_bucket_folders(table, location, latest), names)
    return _unsliced(pc.coalesce(_flat(table, "external_path", pa.string()), paths), names)


def extra_file_paths(
    table: pa.Table, location: str, metadata: TableMetadata, schemas: Sequence[Schema] = ()
) -> pa.Array:
    """Return the full locations of each entry's extra files, which are beside its data file: lists of strings."""
    beside = pc.replace_substring_regex(data_file_paths(table, location, metadata, schemas), r"[^/]*$", "")
    lists = _flat(table, "extra_files", pa.list_(pa.string()))
    paths = pc.binary_join_element_wise(beside.take(pc.list_parent_indices(lists)), lists.flatten(), "")
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), paths, mask=lists.is_null() if lists.null_count else None)


def index_file_paths(
    table: pa.Table, location: str, metadata: TableMetadata, schemas: Sequence[Schema] = ()
) -> pa.Array:
    """Return the full location of each index file of a decoded index manifest.

    Index files are below ``index/``, or with ``index-file-in-data-file-dir`` beside their bucket's data files.
    """
    latest = _latest(metadata, schemas)
    if _is_true(dict(latest.options).get("index-file-in-data-file-dir", "false")):
        folders = _bucket_folders(table, location, latest)
    else:
        folders = pa.repeat(f"{location.rstrip('/')}/index", table.num_rows)
    paths = _joined(folders, _flat(table, "file_name", pa.string()))
    return pc.coalesce(_flat(table, "external_path", pa.string()), paths)


def own_file_names(table: pa.Table) -> pa.Array:
    """Return the name of each entry's file; for a slice of a compacted changelog, the file that holds its bytes."""
    names = _flat(table, "file_name", pa.string())
    if not pc.any(pc.starts_with(names, _COMPACTED)).as_py():
        return names
    return pa.array([_SLICE.sub(r"\g<stem>$\g<bucket>-\g<length>.\g<format>", name) for name in names.to_pylist()])


def _bucket_folders(table: pa.Table, location: str, latest: Schema) -> pa.Array:
    options = dict(latest.options)
    root = location.rstrip("/")
    if below := options.get("data-file.path-directory", "").strip("/"):
        if ".." in below.split("/"):
            raise MetadataCorrupt("data-file.path-directory points outside the table", directory=below)
        root = f"{root}/{below}"
    buckets = _flat(table, "bucket", pa.int32())
    words = pc.if_else(pc.equal(buckets, POSTPONE_BUCKET), "postpone", buckets.cast(pa.string()))
    within = _partition_folders(table, latest)
    return pc.binary_join_element_wise(f"{root}/", within, "bucket-", words, "")


def _partition_folders(table: pa.Table, latest: Schema) -> pa.Array:
    """Return the directories ``k=v/…/`` of each row, computed once per partition; empty without partition keys."""
    fields = {field.name: field for field in latest.fields}
    keys = [fields[name] for name in latest.partition_keys]
    if not keys or not table.num_rows:
        return pa.repeat("", table.num_rows)
    options = dict(latest.options)
    legacy = _is_true(options.get("partition.legacy-name", "true"))
    default = options.get("partition.default-name", DEFAULT_NAME)
    values = [_flat(table, column("partition", key.field_id), pa.null()) for key in keys]
    place: Index = np.zeros(table.num_rows, np.int64)
    spelled = []
    for number, rows in enumerate(groups(combine(*(value_codes(array) for array in values)))):
        place[rows] = number
        first = int(rows[0])
        spelled.append(
            "".join(
                directory(key.name, key.type, array[first], legacy=legacy, default=default) + "/"
                for key, array in zip(keys, values, strict=True)
                if isinstance(key.type, Primitive)
            )
        )
    return pa.array(spelled, pa.string()).take(pa.array(place))


def _unsliced(paths: pa.Array, names: pa.Array) -> pa.Array:
    """Replace paths of compacted changelogs that name a slice by the real file, in the bucket that the name gives."""
    sliced = pc.starts_with(names, _COMPACTED).to_numpy(zero_copy_only=False)
    if not sliced.any():
        return paths
    texts: list[str] = paths.to_pylist()
    for row in np.flatnonzero(sliced):
        folder, name = texts[row].rsplit("/", 1)
        if (match := _SLICE.fullmatch(name)) is not None:
            stem, bucket, length, form = match["stem"], match["bucket"], match["length"], match["format"]
            texts[row] = f"{folder.rsplit('/', 1)[0]}/bucket-{bucket}/{stem}${bucket}-{length}.{form}"
    return pa.array(texts, pa.string())


def _joined(folders: pa.Array, names: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(folders, names, "/")


def _latest(metadata: TableMetadata, schemas: Sequence[Schema]) -> Schema:
    return max(schemas or metadata.schemas, key=lambda schema: schema.schema_id)


def _flat(table: pa.Table, name: str, absent: pa.DataType) -> pa.Array:
    if name not in table.column_names:
        return pa.nulls(table.num_rows, absent)
    chunks = table.column(name)
    return chunks.chunk(0) if chunks.num_chunks == 1 else pa.concat_arrays(chunks.chunks or [pa.nulls(0, chunks.type)])


def _is_true(value: str) -> bool:
    return value.strip().lower() == "true"
