"""Translate a table's merge engine and its options into the functions that merge the rows of a key.

Source: Paimon's ``CoreOptions``, and the factories of its merge functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakemuster.metadata.types import Field, Kind, Primitive
from lakemuster.spark.reading.model import NotReadable
from lakemuster.spark.reading.paimon import aggregation
from lakemuster.spark.reading.paimon.aggregation import ColumnMerge, Function, SequenceGroup
from lakemuster.spark.reading.paimon.merging import Merging
from lakemuster.spark.reading.paimon.ordering import check_orderable
from lakemuster.spark.reading.paimon.tables import PaimonTable

_IGNORE_DELETE = (
    "ignore-delete", "first-row.ignore-delete", "deduplicate.ignore-delete", "partial-update.ignore-delete",
)  # fmt: skip
_NUMBERS = (Kind.TINYINT, Kind.SMALLINT, Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL)
_COMPARED = (*_NUMBERS, Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.STRING, Kind.BINARY)
_LAST_NON_NULL = "last_non_null_value"
_FUNCTIONS: dict[str, tuple[Function, tuple[Kind, ...] | None]] = {
    _LAST_NON_NULL: (aggregation.last_non_null, None),
    "first_non_null_value": (aggregation.first_non_null, None),
    "first_not_null_value": (aggregation.first_non_null, None),
    "last_value": (aggregation.last, None),
    "first_value": (aggregation.first, None),
    "max": (aggregation.greatest, _COMPARED),
    "min": (aggregation.least, _COMPARED),
    "bool_and": (aggregation.least, (Kind.BOOLEAN,)),
    "bool_or": (aggregation.greatest, (Kind.BOOLEAN,)),
    "sum": (aggregation.total, _NUMBERS),
}
"""Aggregate functions with their supported types; None for all types."""
_GROUP = ".sequence-group"
_PREFIX = "fields."


def merging_of(table: PaimonTable, wanted: Sequence[Field]) -> Merging:
    """Return how the table merges the rows of a key.

    Args:
        wanted: the columns to read.

    Raises:
        NotReadable: the merge engine, or one of its options, is not supported.
    """
    options = table.options
    engine = options.get("merge-engine", "deduplicate").lower()
    by_name = {field.name: field for field in table.fields}
    keys = tuple(by_name[name] for name in table.primary_keys if name not in table.partition_keys)
    sequence = tuple(_field(table, name, "sequence.field") for name in _names(options.get("sequence.field", "")))
    for field in keys:
        check_orderable(table.name, field, "key")
    for field in sequence:
        check_orderable(table.name, field, "sequence.field")
    order = options.get("sequence.field.sort-order", "ascending").lower()
    if order not in ("ascending", "descending"):
        raise NotReadable(table.name, f"its sequence.field.sort-order is {order}")
    return Merging(
        keys,
        sequence,
        descending=order == "descending",
        keeps_first=engine == "first-row",
        ignores_deletes=any(table.flag(name) for name in _IGNORE_DELETE),
        column_merge=_column_merge_of(table, engine, wanted, sequence),
    )


def _column_merge_of(
    table: PaimonTable, engine: str, wanted: Sequence[Field], sequence: Sequence[Field]
) -> ColumnMerge | None:
    if engine in ("deduplicate", "first-row"):
        return None
    if engine not in ("partial-update", "aggregation"):
        raise NotReadable(table.name, f"its files must be merged by the merge engine {engine}")
    names = {field.name for field in wanted}
    groups = [group for group in _groups(table) if group.columns & names] if engine == "partial-update" else []
    ordering = {field.name for group in groups for field in group.sequence}
    grouped = {name for group in groups for name in group.columns}
    functions: dict[str, Function] = {}
    for field in wanted:
        if field.name in table.primary_keys or field.name in ordering:
            continue
        stated = _function_name(table, field.name)
        if engine == "aggregation" and field in sequence:
            stated = "last_value"
        if engine == "partial-update" and stated is not None and (field.name in grouped or stated != _LAST_NON_NULL):
            what = f"the aggregate function {stated} of the column {field.name}"
            raise NotReadable(table.name, f"its files must be merged by {what} in partial-update")
        functions[field.name] = _function(table, field, stated or _LAST_NON_NULL)
    return ColumnMerge(engine, functions, tuple(groups), {field.name: field for field in wanted})


def _function(table: PaimonTable, field: Field, name: str) -> Function:
    function, kinds = _FUNCTIONS.get(name, (None, None))
    is_known = kinds is None or (isinstance(field.type, Primitive) and field.type.kind in kinds)
    if function is None or not is_known:
        what = f"the aggregate function {name} of the column {field.name}, of type {field.type.text}"
        raise NotReadable(table.name, f"its files must be merged by {what}")
    return function


def _function_name(table: PaimonTable, column: str) -> str | None:
    own = table.options.get(f"{_PREFIX}{column}.aggregate-function")
    return own or table.options.get(f"{_PREFIX}default-aggregate-function")


def _groups(table: PaimonTable) -> Iterator[SequenceGroup]:
    for option, columns in table.options.items():
        if option.startswith(_PREFIX) and option.endswith(_GROUP):
            names = _names(option.removeprefix(_PREFIX).removesuffix(_GROUP))
            sequence = tuple(_field(table, name, "sequence-group") for name in names)
            for field in sequence:
                check_orderable(table.name, field, "sequence-group")
            protected = [_field(table, name, "sequence-group").name for name in _names(columns)]
            yield SequenceGroup(sequence, frozenset([*names, *protected]))


def _field(table: PaimonTable, name: str, option: str) -> Field:
    found = next((field for field in table.fields if field.name == name), None)
    if found is None:
        raise NotReadable(table.name, f"its {option} {name} is not a column")
    return found


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
