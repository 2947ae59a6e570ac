"""Keep only bounds that prove something, whatever their writer did wrong; the others count as unknown.

* A lower bound above the upper one: neither is used.
* Bounds of UUIDs that hold in one order of writers alone, see ``uuid_bounds``.
* Bounds of ORC files that do not hold for the values that readers return, see ``orc_bounds``.
* Bounds of timestamps that were recorded in milliseconds, see ``timestamp_bounds``.
* Bounds of texts and binaries of some row groups only, see ``pyiceberg_bounds``.
* Lower bounds of strings that end in zero bytes: some writers record the whole buffer of an encoded text, so that
  they exceed the smallest value. They are used without these bytes. Padded upper bounds still hold.
* Upper bounds of 16 bytes of strings in partition summaries: older releases of DuckDB recorded the first 16 bytes
  of a partition's value. They are used as a prefix.

The raw columns hold the recorded bytes.

Source: apache/beam pull request 38580; apache/paimon issue 5007; duckdb/duckdb-iceberg issue 1047.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.formats.iceberg.orc_bounds import changed_bounds, has_format
from lakemuster.formats.iceberg.pyiceberg_bounds import has_partial_bounds, unusable_bounds
from lakemuster.formats.iceberg.statistics import Column, bound_field
from lakemuster.formats.iceberg.timestamp_bounds import is_of_delta, loosened_bounds
from lakemuster.formats.iceberg.uuid_bounds import ordered_pair, ruled_out
from lakemuster.formats.iceberg.values import encode_array
from lakemuster.metadata.bound_order import inverted, is_inverted, joined, rows_of, together
from lakemuster.metadata.files import column, split_column
from lakemuster.metadata.types import Kind, Primitive

_UUID = pa.binary(16)
_TYPED = ("lower.", "upper.")
_ZEROS = r"\x00+\z"
_CUT_BYTES = 16
_LAST_CODE_POINT, _FIRST_SURROGATE, _AFTER_SURROGATES = 0x10FFFF, 0xD800, 0xE000

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Files:
    """The files of N entries.

    Attributes:
        formats: (N,) the names of their file formats.
        records: (N,) their numbers of rows.
        are_partial: (N,) whether bounds of texts may be those of some row groups only.
        is_of_delta: whether Delta Lake's UniForm writes the table.
    """

    formats: pa.Array
    records: NDArray[np.int64]
    are_partial: Mask
    is_of_delta: bool

    @classmethod
    def of_entries(cls, own: Mapping[str, pa.Array], properties: Mapping[str, str]) -> Self:
        """Return the files of entries, from their columns in the shape of ``metadata.files``.

        Args:
            properties: those of the table.
        """
        are_partial = has_partial_bounds(own["file_path"], own.get("split_offsets"))
        return cls(own["file_format"], own["record_count"].to_numpy(), are_partial, is_of_delta(properties))


def usable_pair(lower: object, upper: object, of: Primitive) -> tuple[object, object]:
    """Return bounds of one field in internal form, with None for those that prove nothing."""
    if of.kind is Kind.STRING and isinstance(lower, str):
        lower = lower.rstrip("\0")
    elif of.kind is Kind.UUID:
        lower, upper = ordered_pair(lower, upper)
    return (None, None) if is_inverted(lower, upper) else (lower, upper)


def usable_summary(lower: object, upper: object, of: Primitive) -> tuple[object, object]:
    """Return bounds of one field in a partition summary, like :func:`usable_pair`."""
    if of.kind is Kind.STRING and isinstance(upper, str) and len(upper.encode()) == _CUT_BYTES:
        upper = _text_above(upper)
    return usable_pair(lower, upper, of)


def _text_above(prefix: str) -> str | None:
    """Return a text above all that have a prefix; None if there is none."""
    kept = prefix.rstrip(chr(_LAST_CODE_POINT))
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_AFTER_SURROGATES if following == _FIRST_SURROGATE else following)


def usable_columns(
    columns: Iterable[Column],
    type_of: Callable[[int], Primitive],
    files: Files | None = None,
) -> list[Column]:
    """Return statistics with the usable bounds alone in typed columns, and the bytes of the others in raw ones.

    Args:
        columns: statistics in the shape of ``metadata.files``; the raw column of a bound follows the typed one.
        type_of: the type of a column by field id.
        files: the files of the statistics; None if only the statistics count.
    """
    columns = list(columns)
    changed = _Changed(columns, type_of)
    if files is not None:
        orc, parquet = (has_format(files.formats, name) for name in ("orc", "parquet"))
        if orc.any():
            changed.correct(changed_bounds(changed.used(columns), orc, files.records))
        changed.correct(loosened_bounds(changed.used(columns), parquet, is_of_delta=files.is_of_delta))
        if files.are_partial.any():
            changed.correct(unusable_bounds(changed.used(columns), files.are_partial))
    changed.forget_inverted()
    return list(changed.applied(columns)) if changed.values else columns


class _Changed:
    """Typed columns of bounds that are not used as recorded.

    Attributes:
        values: the bounds to use, by column name.
        rows: where they differ from the recorded ones, by column name.
    """

    def __init__(self, columns: list[Column], type_of: Callable[[int], Primitive]) -> None:
        self.values: dict[str, pa.Array] = {}
        self.rows: dict[str, Mask] = {}
        self._type_of = type_of
        sides: dict[str, dict[int, pa.Array]] = {"lower": {}, "upper": {}}
        for field, values in columns:
            if (name := field.name).startswith(_TYPED) and (split := split_column(name)) is not None:
                sides[split[0]][split[1]] = values
        lower, upper = sides["lower"], sides["upper"]
        paddable = [field_id for field_id, values in lower.items() if pa.types.is_string(values.type)]
        for numbers in together([lower[field_id] for field_id in paddable]):
            own = [paddable[number] for number in numbers]
            for field_id, rows in rows_of(own, _padded(joined([lower[i] for i in own]))):
                self._set("lower", field_id, rows, _without_padding(lower[field_id], rows))
        uuids = [i for side in (lower, upper) for i, values in side.items() if values.type == _UUID]
        for field_id in dict.fromkeys(i for i in uuids if type_of(i).kind is Kind.UUID):
            of_lower, of_upper = lower.get(field_id), upper.get(field_id)
            for side, values, rows in zip(sides, (of_lower, of_upper), ruled_out(of_lower, of_upper), strict=True):
                if values is not None and rows.any():
                    self._forget(side, field_id, values, np.broadcast_to(rows, len(values)))
        self._sides = sides

    def used(self, columns: list[Column]) -> list[Column]:
        """Return the columns with the bounds to use so far."""
        return [(field, self.values.get(field.name, values)) for field, values in columns]

    def correct(self, bounds: Iterable[tuple[str, int, Mask, pa.Array]]) -> None:
        """Take other values for some bounds: side, field id, the rows that differ, and the values."""
        for side, field_id, rows, values in bounds:
            self._set(side, field_id, rows, values)

    def forget_inverted(self) -> None:
        """Take both bounds of an inverted pair as unknown."""
        lower, upper = self._sides["lower"], self._sides["upper"]
        both = [field_id for field_id in lower if field_id in upper]
        pairs = [
            (self.values.get(column("lower", i), lower[i]), self.values.get(column("upper", i), upper[i])) for i in both
        ]
        for number, rows in inverted(pairs):
            for side, values in zip(self._sides, pairs[number], strict=True):
                self._forget(side, both[number], values, rows)

    def _forget(self, side: str, field_id: int, values: pa.Array, rows: Mask) -> None:
        values = self.values.get(column(side, field_id), values)
        self._set(side, field_id, rows, pc.if_else(pa.array(rows), pa.scalar(None, values.type), values))

    def _set(self, side: str, field_id: int, rows: Mask, values: pa.Array) -> None:
        name = column(side, field_id)
        self.values[name] = values
        self.rows[name] = self.rows[name] | rows if name in self.rows else rows

    def applied(self, columns: list[Column]) -> Iterator[Column]:
        """Yield the columns with the bounds to use."""
        raw_of = {_raw(name) for name in self.values}
        raw = {field.name: values for field, values in columns if field.name in raw_of}
        for field, values in columns:
            if field.name in raw_of:
                continue
            used = self.values.get(field.name)
            if used is None:
                yield field, values
                continue
            if used.null_count < len(used):
                yield field, used
            kind, field_id, _ = split_column(field.name) or ("", 0, "")
            nothing = pa.scalar(None, pa.binary())
            recorded = pc.if_else(pa.array(self.rows[field.name]), encode_array(values), nothing)
            own = raw.get(_raw(field.name), nothing)
            text = self._type_of(field_id).text
            yield bound_field(f"{kind}_raw", field_id, pa.binary(), text), pc.coalesce(own, recorded)


def _raw(name: str) -> str:
    kind, field_id, _ = split_column(name) or ("", 0, "")
    return column(f"{kind}_raw", field_id)


def _padded(values: pa.Array) -> Mask | None:
    """Return the rows of strings that end in a zero byte; None if there are none."""
    _, offsets, data = values.buffers()
    if not data:
        return None
    ends = np.frombuffer(offsets, np.int32, len(values) + 1, values.offset * 4)
    last = np.frombuffer(data, np.uint8).take(ends[1:] - 1, mode="clip")
    if last.all():
        return None
    rows = (last == 0) & (np.diff(ends) > 0)
    if values.null_count:
        rows &= values.is_valid().to_numpy(zero_copy_only=False)
    return rows if rows.any() else None


def _without_padding(values: pa.Array, rows: Mask) -> pa.Array:
    mask = pa.array(rows)
    short = pc.replace_substring_regex(values.filter(mask), pattern=_ZEROS, replacement="")
    return pc.replace_with_mask(values, mask, short)
