"""JSON texts of the columns of content files: integers as numbers, bytes as hex, maps by field id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from lakemuster.wire.scalars import integer_texts, scalar_texts
from lakemuster.wire.texts import Piece, Texts, join


def array_of(table: pa.Table, name: str) -> pa.Array | None:
    """A column in one piece; None where nothing is recorded."""
    if name not in table.column_names:
        return None
    found = table.column(name)
    found = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
    return None if found.null_count == len(found) else found


def value_texts(array: pa.Array, type_text: str = "") -> Texts:
    """The JSON texts of values.

    Args:
        array: not all null.
        type_text: the type's own spelling, where Arrow's type does not tell all.
    """
    kind = array.type
    if pa.types.is_integer(kind):
        return integer_texts(array)
    texts = scalar_texts(array, type_text, as_id=False)
    if (
        texts.array is not None
        and type_text != "uuid"
        and (pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind))
    ):
        return Texts(pc.ascii_upper(texts.array), quoted=True)
    return texts


def constant(texts: Texts) -> str | None:
    """The one text that stands in every row; None where there are several."""
    array = texts.array
    if array is None or array.null_count or not len(array) or array[0] != array[-1]:
        return None
    distinct = pc.unique(array)
    if len(distinct) > 1:
        return None
    text = str(distinct[0])
    return f'"{text}"' if texts.quoted else text


def member(key: str, texts: Texts | None) -> list[Piece]:
    """An object's further member, left out in rows whose value is null."""
    if texts is None or texts.all_null:
        return []
    opening = f',"{key}":'
    if texts.any_null:
        return [pc.fill_null(pc.binary_join_element_wise(opening, texts.whole(), ""), "")]
    same = constant(texts)
    return [opening, *texts.pieces()] if same is None else [opening + same]


def lists(offsets: NDArray[np.int64], numbers: pa.Array) -> pa.Array:
    """The text of each list of numbers, without brackets."""
    return pc.binary_join(pa.ListArray.from_arrays(offsets.astype(np.int32), numbers.cast(pa.string())), ",")


def list_texts(array: pa.ListArray) -> Texts:
    """The JSON texts of lists of numbers."""
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    texts = pc.binary_join_element_wise("[", lists(offsets, array.flatten()), "]", "")
    return Texts(texts if array.null_count == 0 else pc.if_else(array.is_valid(), texts, pa.scalar(None, pa.string())))


def keyed(key: str, columns: Mapping[int, pa.Array], rows: int) -> list[Piece]:
    """A member that maps field ids to values, left out in rows without any.

    Args:
        key: the member's.
        columns: (rows,) values by field id, null where not recorded.
    """
    recorded = {field_id: array for field_id, array in columns.items() if array.null_count < rows}
    if not recorded:
        return []
    texts = {field_id: value_texts(array) for field_id, array in recorded.items()}
    if not any(array.null_count for array in recorded.values()):
        pieces: list[Piece] = [f',"{key}":{{"keys":[{",".join(map(str, texts))}],"values":[']
        for at, found in enumerate(texts.values()):
            pieces += ["," if at else "", *found.pieces()]
        return [*pieces, "]}"]
    keys = _joined([_where(found, f"{field_id},") for field_id, found in texts.items()], rows)
    values = _joined([_ended(found) for found in texts.values()], rows)
    whole = pc.binary_join_element_wise(f',"{key}":{{"keys":[', keys, '],"values":[', values, "]}", "")
    return [pc.if_else(pc.equal(keys, ""), "", whole)]


def _where(texts: Texts, text: str) -> Piece:
    return pc.if_else(texts.whole().is_valid(), text, "") if texts.any_null else text


def _ended(texts: Texts) -> Piece:
    return pc.fill_null(pc.binary_join_element_wise(texts.whole(), ",", ""), "")


def _joined(pieces: Sequence[Piece], rows: int) -> pa.Array:
    return pc.ascii_rtrim(join(pieces, rows), ",")
