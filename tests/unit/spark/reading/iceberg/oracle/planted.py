"""Bugs that the oracle must catch, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakemuster.caching import Cache
from lakemuster.spark.reading.iceberg import defaults, equality, keys, open_rows, positions, projection, rows
from lakemuster.spark.reading.iceberg.field_ids import mapping_of, with_mapped_ids
from lakemuster.spark.reading.iceberg.schema import target_schema

Patch = pytest.MonkeyPatch
_kept, _among, _of, _read = (
    positions.live_mask,
    keys.KeySet.among,
    equality.EqualityDeletes.of,
    positions.PositionDeletes._read,
)
_missing, _comparable, _opened, _column = (
    defaults.missing_value, keys.comparable, open_rows.OpenRows.__init__, equality.EqualityDeletes._column,
)  # fmt: skip
_init, _get, _list, _map = keys.KeySet.__init__, Cache.get_or_make, projection._list, projection._map


def position_deletes_are_ignored(patch: Patch) -> None:
    patch.setattr(positions.PositionDeletes, "of", lambda self, file: np.empty(0, np.int64))


def positions_start_at_one(patch: Patch) -> None:
    patch.setattr(rows, "live_mask", lambda places, start, length: _kept(places, start + 1, length))


def positions_start_anew_in_each_batch(patch: Patch) -> None:
    patch.setattr(rows, "live_mask", lambda places, start, length: _kept(places, 0, length))


def positions_are_of_any_file(patch: Patch) -> None:
    def read(self: Any, delete: Any) -> Any:
        by_file = _read(self, delete)
        both = np.unique(np.concatenate([np.empty(0, np.int64), *by_file.values()]))
        return dict.fromkeys(self._wanted[delete["file_path"]], both)

    patch.setattr(positions.PositionDeletes, "_read", read)


def vectors_are_ignored(patch: Patch) -> None:
    patch.setattr(positions.PositionDeletes, "_vector", lambda self, delete: np.empty(0, np.int64))


def equality_deletes_are_ignored(patch: Patch) -> None:
    patch.setattr(equality.EqualityDeletes, "of", lambda self, file: ())


def one_set_of_columns_deletes(patch: Patch) -> None:
    patch.setattr(equality.EqualityDeletes, "of", lambda self, file: _of(self, file)[:1])


def one_delete_file_of_a_group_deletes(patch: Patch) -> None:
    def of(self: Any, file: Any) -> Any:
        return tuple(replace(group, deletes=group.deletes[:1]) for group in _of(self, file))

    patch.setattr(equality.EqualityDeletes, "of", of)


def null_is_not_null(patch: Patch) -> None:
    def among(self: Any, columns: Any) -> Any:
        nulls = np.array([column.is_null().to_numpy(zero_copy_only=False) for column in columns]).any(axis=0)
        return _among(self, columns) & ~nulls

    patch.setattr(keys.KeySet, "among", among)


def _with_values(patch: Patch) -> None:
    def init(self: Any, columns: Any) -> None:
        self.values = columns
        _init(self, columns)

    patch.setattr(keys.KeySet, "__init__", init)


def any_column_deletes(patch: Patch) -> None:
    _with_values(patch)

    def among(self: Any, columns: Any) -> Any:
        each = [_among(keys.KeySet([ours]), [theirs]) for ours, theirs in zip(self.values, columns, strict=True)]
        return np.array(each).any(axis=0)

    patch.setattr(keys.KeySet, "among", among)


def columns_are_compared_apart(patch: Patch) -> None:
    """Compare each column with the keys separately, so that values of different keys combine."""
    _with_values(patch)

    def among(self: Any, columns: Any) -> Any:
        each = [_among(keys.KeySet([ours]), [theirs]) for ours, theirs in zip(self.values, columns, strict=True)]
        return np.array(each).all(axis=0)

    patch.setattr(keys.KeySet, "among", among)


def minus_zero_is_zero(patch: Patch) -> None:
    def comparable(values: pa.Array) -> pa.Array:
        if pa.types.is_floating(values.type):
            values = pa.array([None if one is None else one + 0.0 for one in values.to_pylist()], values.type)
        return _comparable(values)

    patch.setattr(equality, "comparable", comparable)


def nan_is_not_nan(patch: Patch) -> None:
    def comparable(values: pa.Array) -> pa.Array:
        compared = _comparable(values)
        if pa.types.is_floating(values.type):  # replace each NaN by a distinct value
            places = pa.array(np.random.default_rng().integers(1 << 40, 1 << 50, len(values)), compared.type)
            return pc.if_else(pc.is_nan(values), places, compared)
        return compared

    patch.setattr(equality, "comparable", comparable)


def dropped_columns_delete_nothing(patch: Patch) -> None:
    def of(self: Any, file: Any) -> Any:
        present = target_schema(self._table).by_id
        return tuple(group for group in _of(self, file) if all(one.field_id in present for one in group.columns))

    patch.setattr(equality.EqualityDeletes, "of", of)


def columns_are_matched_by_name(patch: Patch) -> None:
    def opened(self: Any, table: Any, file: Any, *more: Any) -> None:
        _opened(self, table, file, *more)
        if file["content"] == "data":
            self.columns = with_mapped_ids(self.columns, mapping_of(target_schema(table).fields))

    patch.setattr(open_rows.OpenRows, "__init__", opened)


def defaults_are_ignored(patch: Patch) -> None:
    patch.setattr(
        projection, "missing_value", lambda field, constants: _missing(replace(field, initial_default=None), constants)
    )


def null_structs_are_lost(patch: Patch) -> None:
    struct = pa.StructArray.from_arrays

    class Structs:
        from_arrays = staticmethod(lambda arrays, fields, mask: struct(arrays, fields=fields))

    class Arrow:
        StructArray = Structs

        def __getattr__(self, name: str) -> Any:
            return getattr(pa, name)

    patch.setattr(projection, "pa", Arrow())


def null_lists_are_empty(patch: Patch) -> None:
    patch.setattr(projection, "_mask", lambda array: None)


def delete_files_are_taken_for_each_other(patch: Patch) -> None:
    patch.setattr(Cache, "get_or_make", lambda self, key, make: _get(self, "one", make))


PLANTED: dict[str, Callable[[Patch], None]] = {
    bug.__name__: bug
    for bug in (
        position_deletes_are_ignored,
        positions_start_at_one,
        positions_start_anew_in_each_batch,
        positions_are_of_any_file,
        vectors_are_ignored,
        equality_deletes_are_ignored,
        one_set_of_columns_deletes,
        one_delete_file_of_a_group_deletes,
        null_is_not_null,
        any_column_deletes,
        columns_are_compared_apart,
        minus_zero_is_zero,
        nan_is_not_nan,
        dropped_columns_delete_nothing,
        columns_are_matched_by_name,
        defaults_are_ignored,
        null_structs_are_lost,
        null_lists_are_empty,
        delete_files_are_taken_for_each_other,
    )
}
