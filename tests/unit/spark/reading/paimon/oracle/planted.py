"""Bugs that the oracle must catch, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from lakemuster.spark.reading import paimon
from lakemuster.spark.reading.paimon import (
    arrays,
    data_evolution,
    deletion_vectors,
    engines,
    evolution,
    file_rows,
    merging,
    ordering,
    schemas,
    sections,
)
from lakemuster.spark.reading.paimon.merging import Merging
from lakemuster.spark.reading.paimon.sorted_cursor import SortedFile

Patch = pytest.MonkeyPatch
_columns, _merging_of, _without = file_rows._Columns.__init__, engines.merging_of, deletion_vectors.without_positions
_in_order, _member, _writes, _ordered = (
    Merging._in_order,
    evolution._member,
    data_evolution._writes,
    ordering.ordered_form,
)


def vectors_are_ignored(patch: Patch) -> None:
    patch.setattr(deletion_vectors, "deleted_positions", lambda *of: np.empty(0, np.uint64))


def positions_start_anew_in_each_batch(patch: Patch) -> None:
    def without(deleted: Any, batches: Any) -> Any:
        for batch in batches:
            yield from _without(deleted, iter([batch]))

    patch.setattr(deletion_vectors, "without_positions", without)


def columns_are_matched_by_name(patch: Patch) -> None:
    def columns(self: Any, table: Any, file: Any, fields: Any) -> None:
        _columns(self, table, file, fields)
        by_name = {field.name: field for field in table.schemas[file["schema_id"]]}
        systems = {number: field for number, field in self._source.items() if number in file_rows._OWN}
        named = {field.field_id: by_name[field.name] for field in fields if field.name in by_name}
        self._source = {**named, **systems}

    patch.setattr(file_rows._Columns, "__init__", columns)


def members_are_matched_by_name(patch: Patch) -> None:
    def member(values: Any, own: Any, field: Any) -> Any:
        names = [values.type.field(place).name for place in range(values.type.num_fields)]
        if field.name not in names:
            return pa.nulls(len(values), schemas.spark_type(field.type))
        return values.field(names.index(field.name)).cast(schemas.spark_type(field.type))

    patch.setattr(evolution, "_member", member)


def partitions_are_read_from_files(patch: Patch) -> None:
    def columns(self: Any, *of: Any) -> None:
        _columns(self, *of)
        self._partition = set()

    patch.setattr(file_rows._Columns, "__init__", columns)


def null_structs_are_lost(patch: Patch) -> None:
    def struct_of(values: Any, fields: Any, members: Any) -> Any:
        form = [schemas.spark_field(field) for field in fields]
        return pa.StructArray.from_arrays([members[field.name] for field in fields], fields=form)

    patch.setattr(evolution, "struct_of", struct_of)
    patch.setattr(arrays, "struct_of", struct_of)


def deleted_keys_stay(patch: Patch) -> None:
    patch.setattr(merging, "is_added", pc.is_valid)


def updates_are_deletes(patch: Patch) -> None:
    patch.setattr(merging, "is_added", lambda kinds: pc.equal(kinds, 0))


def deletes_of_old_files_stay(patch: Patch) -> None:
    patch.setattr(paimon, "rows_alone", deletion_vectors.live_rows)


def _with(patch: Patch, **changed: Any) -> None:
    patch.setattr(sections, "merging_of", lambda *of: replace(_merging_of(*of), **changed))


def deletes_are_not_ignored(patch: Patch) -> None:
    _with(patch, ignores_deletes=False)


def deletes_are_always_ignored(patch: Patch) -> None:
    _with(patch, ignores_deletes=True)


def sequence_fields_are_ignored(patch: Patch) -> None:
    _with(patch, sequence=())


def the_direction_is_ignored(patch: Patch) -> None:
    _with(patch, descending=False)


def the_last_row_is_the_first(patch: Patch) -> None:
    _with(patch, keeps_first=False)


def one_sequence_field_counts(patch: Patch) -> None:
    patch.setattr(sections, "merging_of", lambda *of: replace(made := _merging_of(*of), sequence=made.sequence[:1]))


def one_column_is_the_key(patch: Patch) -> None:
    patch.setattr(
        merging.Merging,
        "_changes",
        lambda self, rows: pc.not_equal(
            rows.column("_ORDER_0").combine_chunks()[1:], rows.column("_ORDER_0").combine_chunks()[:-1]
        ),
    )


def sequence_numbers_are_ignored(patch: Patch) -> None:
    def in_order(self: Any, rows: Any) -> Any:
        place = rows.schema.get_field_index("_SEQUENCE_NUMBER")
        return _in_order(self, rows.set_column(place, "_SEQUENCE_NUMBER", pa.repeat(pa.scalar(0), len(rows))))

    patch.setattr(Merging, "_in_order", in_order)


def null_is_the_newest(patch: Patch) -> None:
    def in_order(self: Any, rows: Any) -> Any:
        for field in self.sequence:
            column = rows.column(field.name)
            least = pa.scalar(-(2**31) + 1 if self.descending else 2**31 - 1, pa.int64()).cast(column.type)
            place = rows.schema.get_field_index(field.name)
            rows = rows.set_column(place, rows.schema.field(place), pc.fill_null(column, least))
        return _in_order(self, rows)

    patch.setattr(Merging, "_in_order", in_order)


def minus_zero_is_older_than_zero(patch: Patch) -> None:
    def ordered(values: Any, of: Any) -> Any:
        if pa.types.is_floating(values.type):
            signs = pc.if_else(pc.less(pc.divide(pa.scalar(1.0), values), 0.0), -1e-300, 0.0)
            return pc.if_else(pc.equal(values, 0.0), signs, values)
        return _ordered(values, of)

    patch.setattr(merging, "ordered_form", ordered)


def what_is_held_is_taken_for_all(patch: Patch) -> None:
    patch.setattr(SortedFile, "reached", property(lambda self: None if self._held is not None else self._floor))


def rows_before_the_end_are_left(patch: Patch) -> None:
    count = SortedFile._count_before
    patch.setattr(SortedFile, "_count_before", lambda self, held, end: max(0, count(self, held, end) - 1))


def the_file_that_is_farthest_bounds(patch: Patch) -> None:
    def last_of(keys: Any) -> Any:
        last = keys[0]
        for key in keys[1:]:
            last = key if ordering.before(last, key).as_py() else last
        return last

    patch.setattr(merging, "first_of", last_of)


def the_oldest_file_has_the_column(patch: Patch) -> None:
    def provider(table: Any, whole: Any, field: Any) -> int:
        found = [place for place, file in enumerate(whole) if _writes(table, file, field)]
        return found[-1] if found else 0

    patch.setattr(data_evolution, "_provider", provider)


def columns_that_were_not_written_count(patch: Patch) -> None:
    patch.setattr(
        data_evolution, "_writes", lambda table, file, field: _writes(table, {**file, "write_cols": None}, field)
    )


def files_are_read_side_by_side_from_other_places(patch: Patch) -> None:
    def aligned(readers: Any) -> Any:
        for batches in zip(*readers, strict=False):
            count = min(batch.num_rows for batch in batches)
            yield [batch.slice(0, count) for batch in batches]

    patch.setattr(data_evolution, "_aligned", aligned)


PLANTED: dict[str, Callable[[Patch], None]] = {
    bug.__name__: bug
    for bug in (
        vectors_are_ignored,
        positions_start_anew_in_each_batch,
        columns_are_matched_by_name,
        members_are_matched_by_name,
        partitions_are_read_from_files,
        null_structs_are_lost,
        deleted_keys_stay,
        updates_are_deletes,
        deletes_of_old_files_stay,
        deletes_are_not_ignored,
        deletes_are_always_ignored,
        sequence_fields_are_ignored,
        the_direction_is_ignored,
        the_last_row_is_the_first,
        one_sequence_field_counts,
        one_column_is_the_key,
        sequence_numbers_are_ignored,
        null_is_the_newest,
        minus_zero_is_older_than_zero,
        what_is_held_is_taken_for_all,
        rows_before_the_end_are_left,
        the_file_that_is_farthest_bounds,
        the_oldest_file_has_the_column,
        columns_that_were_not_written_count,
        files_are_read_side_by_side_from_other_places,
    )
}
