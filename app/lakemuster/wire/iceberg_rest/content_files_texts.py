"""Write columns of content files as JSON texts: integers as numbers, bytes as hex, maps by field id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from lakemuster.wire.json_kernel.columns import Integers, JsonTexts, RowPart
from lakemuster.wire.scalars import scalar_texts
from lakemuster.wire.texts import ColumnTexts, join


def array_of(table: pa.Table, name: str) -> pa.Array | None:
    """Return a column as one array; None if it is absent or all null."""
    if name not in table.column_names:
        return None
    found = table.column(name)
    found = found.chunk(0) if found.num_chunks == 1 else found.combine_chunks()
    return None if found.null_count == len(found) else found


def value_texts(array: pa.Array, type_text: str = "") -> ColumnTexts:
    """Return the JSON texts of values.

    Args:
        array: values, not all null.
        type_text: the format's name of the type, where Arrow's type is ambiguous.
    """
    kind = array.type
    if pa.types.is_integer(kind):
        return ColumnTexts(Integers(array))
    texts = scalar_texts(array, type_text, as_id=False)
    if type_text != "uuid" and (pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind)):
        assert texts.column is not None
        return ColumnTexts(JsonTexts(pc.ascii_upper(texts.column.array), quoted=True))
    return texts


def member(key: str, texts: ColumnTexts | None) -> list[RowPart]:
    """Return the pieces of an object's further member, left out in rows whose value is null."""
    if texts is None or texts.all_null:
        return []
    opening = f',"{key}":'
    if texts.any_null:
        return [pc.fill_null(pc.binary_join_element_wise(opening, texts.whole(), ""), "")]
    return [opening, *texts.pieces()]


def keyed(key: str, columns: Mapping[int, pa.Array], rows: int) -> list[RowPart]:
    """Return the pieces of a member that maps field ids to values, left out in rows without values.

    Args:
        key: the member's key.
        columns: (rows,) values by field id, null where not recorded.
    """
    recorded = {field_id: array for field_id, array in columns.items() if array.null_count < rows}
    if not recorded:
        return []
    texts = {field_id: value_texts(array) for field_id, array in recorded.items()}
    if not any(array.null_count for array in recorded.values()):
        pieces: list[RowPart] = [f',"{key}":{{"keys":[{",".join(map(str, texts))}],"values":[']
        for at, found in enumerate(texts.values()):
            pieces += ["," if at else "", *found.pieces()]
        return [*pieces, "]}"]
    keys = _joined([_where(found, f"{field_id},") for field_id, found in texts.items()], rows)
    values = _joined([_ended(found) for found in texts.values()], rows)
    whole = pc.binary_join_element_wise(f',"{key}":{{"keys":[', keys, '],"values":[', values, "]}", "")
    return [pc.if_else(pc.equal(keys, ""), "", whole)]


def _where(texts: ColumnTexts, text: str) -> RowPart:
    return pc.if_else(texts.whole().is_valid(), text, "") if texts.any_null else text


def _ended(texts: ColumnTexts) -> RowPart:
    return pc.fill_null(pc.binary_join_element_wise(texts.whole(), ",", ""), "")


def _joined(pieces: Sequence[RowPart], rows: int) -> pa.Array:
    return pc.ascii_rtrim(join(pieces, rows), ",")
