"""Correct statistics of Parquet files that describe only some of a file's row groups.

Paimon's Java writer merges the statistics of row groups in the file's footer, and up to 1.3 passes over those that
Parquet leaves out: the bounds of numbers if one of a group's values is NaN, and bounds and null count of texts and
binaries if a group's bounds have 4096 bytes together. What it records is of the other groups. Neither the bounds nor
the writer's version tell whether that happened, so such statistics are unknown in a file that may have several row
groups. The least and greatest keys are of all rows, and give bounds of the first key column.

Source: Paimon ``ParquetUtil.extractColumnStats``, Parquet ``ParquetMetadataConverter``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.paimon.options import row_group_bytes
from lakemuster.formats.paimon.simple_stats import Schemas, schema_of, trimmed_primary_key
from lakemuster.metadata.files import split_column
from lakemuster.metadata.types import Kind, Primitive

ROWS = 100
"""The fewest rows of a row group that is not a file's last: a writer does not look at its size before."""

COMPRESSION = 64
"""How many times smaller a row group may be in the file than in the writer's memory, by which it is limited."""

_PARQUET = r"(?i)\.(cc-)?parquet$"
_LONG = 2048
"""The fewest bytes of the longer one of two bounds that Parquet leaves out."""
_BYTES_OF_CHARACTER = 4
_BOUNDS = ("lower", "upper", "key_lower", "key_upper")
_NULL_COUNTS = ("null_count", "key_null_count")
_KEYS = {"key_lower": "min_key", "key_upper": "max_key"}

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class FilesOfManifest:
    """What tells how many row groups each of N files may have.

    Attributes:
        names, sizes, records, schema_ids: (N,) of the files; sizes in bytes.
        schemas: the schemas of the manifest's branch, by id.
    """

    names: pa.Array
    sizes: pa.Array
    records: pa.Array
    schema_ids: pa.Array
    schemas: Schemas

    def with_several_row_groups(self) -> Mask:
        """Mark the Parquet files that may have several row groups."""
        several = np.asarray(self.records.to_numpy() > ROWS)
        if several.any():
            several &= pc.match_substring_regex(self.names, _PARQUET).to_numpy(zero_copy_only=False)
        if several.any():
            ids, places = np.unique(self.schema_ids.to_numpy(), return_inverse=True)
            options = [dict(schema_of(self.schemas, schema_id).options) for schema_id in ids.tolist()]
            least = np.array([row_group_bytes(own) // COMPRESSION for own in options], np.int64)
            several &= self.sizes.to_numpy() >= least[places]
        return several


def usable_statistics(
    columns: Iterable[tuple[pa.Field, pa.Array]], files: FilesOfManifest
) -> Iterator[tuple[pa.Field, pa.Array]]:
    """Yield the columns of statistics, null in files where they may describe only some of the row groups."""
    several = files.with_several_row_groups()
    if not several.any():
        yield from columns
        return
    unknown = pa.array(several)
    found = {field.name: (field, values) for field, values in columns}
    long, first_keys = _long_columns(files.schemas), _first_keys(files.schemas)
    for name, (field, values) in found.items():
        kind, field_id, _ = split_column(name) or ("", -1, "")
        if kind in _BOUNDS and (pa.types.is_floating(values.type) or field_id in long):
            other = _keys_of(found, field, first_keys)
            yield field, pc.if_else(unknown, pa.scalar(None, values.type) if other is None else other, values)
        elif kind in _NULL_COUNTS and field_id in long:
            yield field, pc.if_else(unknown, pa.scalar(None, values.type), values)
        else:
            yield field, values


def _keys_of(
    found: Mapping[str, tuple[pa.Field, pa.Array]], field: pa.Field, first_keys: frozenset[int]
) -> pa.Array | None:
    """Return the least or greatest keys of the type of a column of bounds of the first key column, else None."""
    kind, _, rest = field.name.partition(".")
    key, keys = found.get(f"{_KEYS.get(kind, '')}.{rest}", (None, None))
    split = split_column(field.name)
    if key is None or split is None or split[1] not in first_keys or key.metadata != field.metadata:
        return None
    return keys


def _long_columns(schemas: Schemas) -> frozenset[int]:
    """Return the ids of the columns whose bounds may be too long for Parquet in some schema."""
    return frozenset(
        field.field_id
        for schema in schemas.values()
        for field in schema.fields
        if isinstance(field.type, Primitive) and _may_be_long(field.type)
    )


def _may_be_long(of: Primitive) -> bool:
    width = {Kind.STRING: _BYTES_OF_CHARACTER, Kind.BINARY: 1}.get(of.kind)
    return width is not None and of.length * width >= _LONG


def _first_keys(schemas: Schemas) -> frozenset[int]:
    """Return the first key column if all schemas have the same; rows are sorted by it before the other keys."""
    keys = [trimmed_primary_key(schema) for schema in schemas.values()]
    first = {some[0].field_id if some and some[0] is not None else -1 for some in keys}
    return frozenset(first if len(first) == 1 else ())
