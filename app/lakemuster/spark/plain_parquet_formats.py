"""The conditions under which reading a format's files by column name gives the same rows as the format's rules."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from lakemuster.client.model import Row
from lakemuster.spark.errors import NotPlainParquet

Columns = Mapping[str, tuple[int | None, str]]
"""Field id and type by dotted path, nested fields included; a nested type is ``struct``, ``list`` or ``map``."""

NAME_MAPPING = "schema.name-mapping.default"

# Names that Iceberg's writers leave unchanged; other names are escaped in the files.
_UNCHANGED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFAULT_WHEN_READ = re.compile(r"fields\..+\.default-value")


@dataclass(frozen=True, slots=True)
class FileRequirements:
    """The requirements on each file for its columns to be read by name.

    Attributes:
        table: its dotted name, for error messages.
        shown: columns whose statistics are needed, to prove that each file contains the column.
        differences: for Paimon, by schema id: how the schema differs from the one to read; None when it does not.
    """

    table: str
    format: str
    columns: Columns
    shown: tuple[str, ...]
    differences: Mapping[int, str | None]


class PlainParquetRules(ABC):
    """The rules of one format.

    Attributes:
        unreadable: types that Spark reads otherwise than the format, or not at all.
        needs_all_schemas: files do not record their schema, so every snapshot's schema must be known.
    """

    unreadable: ClassVar[re.Pattern[str]]
    needs_all_schemas: ClassVar[bool] = False

    @abstractmethod
    def requirements(
        self,
        table: str,
        columns: Columns,
        top: set[str],
        shown: set[str],
        schemas: Sequence[Row],
        properties: Mapping[str, str],
    ) -> FileRequirements:
        """Return the requirements on files.

        Args:
            columns: to read; ``top`` are the names of those that are not nested.
            shown: columns that each file must be shown to contain, since they are sources of partitions.
            schemas: that files may have.

        Raises:
            NotPlainParquet: no file of the table can be read by name.
        """

    @abstractmethod
    def problem(self, requirements: FileRequirements, file: Row) -> str | None:
        """Return why a file does not meet the requirements; None if it does."""


class _Iceberg(PlainParquetRules):
    unreadable = re.compile(r"uuid|time|timestamp(tz)?_ns|unknown|variant|geometry.*|geography.*")
    needs_all_schemas = True

    def requirements(
        self,
        table: str,
        columns: Columns,
        top: set[str],
        shown: set[str],
        schemas: Sequence[Row],
        properties: Mapping[str, str],
    ) -> FileRequirements:
        odd = (path for path in columns if not all(map(_UNCHANGED_NAME.fullmatch, _segments(path, top))))
        if name := next(odd, None):
            raise NotPlainParquet(table, f"column {name} has another name in the files")
        ids = {row["schema_id"] for row in schemas}
        missing = set(range(max(ids) + 1)) - ids
        if missing:
            raise NotPlainParquet(
                table, f"schema {min(missing)} is no longer recorded, and files may have been written with it"
            )
        for row in schemas:
            other = columns_of(row["fields"])
            known = {path: columns[path] for path in columns if path in other}
            if (difference := _difference(known, other)) is not None:
                raise NotPlainParquet(table, f"schema {row['schema_id']} differs: {difference}")
            shown |= columns.keys() - other.keys()
        if NAME_MAPPING in properties:
            _check_mapping(table, properties[NAME_MAPPING], columns)
            shown |= columns.keys()
        leaves = tuple(sorted(path for path in shown if _is_leaf(columns[path])))
        return FileRequirements(table, "iceberg", columns, leaves, {})

    def problem(self, requirements: FileRequirements, file: Row) -> str | None:
        sizes = file.get("column_sizes") or {}
        unknown = next((path for path in requirements.shown if sizes.get(path) is None), None)
        return None if unknown is None else f"it is not known to hold column {unknown}"


class _Paimon(PlainParquetRules):
    # Timestamps of more than six digits are stored as INT96, which Spark reads as an instant.
    unreadable = re.compile(
        r"(TIME\b(?!STAMP)|TIMESTAMP(_LTZ)?\([789]\)|MULTISET|VARIANT|BLOB|VECTOR|UNKNOWN|NULL).*", re.IGNORECASE
    )

    def requirements(
        self,
        table: str,
        columns: Columns,
        top: set[str],
        shown: set[str],
        schemas: Sequence[Row],
        properties: Mapping[str, str],
    ) -> FileRequirements:
        if key := next((key for key in properties if _DEFAULT_WHEN_READ.fullmatch(key)), None):
            raise NotPlainParquet(table, f"{key} is filled in when it is read")
        differences = {row["schema_id"]: _difference(columns, columns_of(row["fields"])) for row in schemas}
        return FileRequirements(table, "paimon", columns, tuple(sorted(shown)), differences)

    def problem(self, requirements: FileRequirements, file: Row) -> str | None:
        schema_id = file["schema_id"]
        if schema_id not in requirements.differences:
            return f"its schema {schema_id} is not known"
        if (difference := requirements.differences[schema_id]) is not None:
            return f"its schema {schema_id} differs: {difference}"
        written = file.get("write_cols")
        if written is not None:
            absent = {path for path in requirements.columns if "." not in path} - set(written)
            if absent:
                return f"it was written without column {min(absent)}"
        counts = file.get("null_value_counts") or {}
        unknown = next((path for path in requirements.shown if counts.get(path) is None), None)
        return None if unknown is None else f"it is not known to hold column {unknown}"


_RULES: dict[str, PlainParquetRules] = {"iceberg": _Iceberg(), "paimon": _Paimon()}


def register(format: str, rules: PlainParquetRules) -> None:
    """Register a format's rules; without them, its tables cannot be read by column name."""
    _RULES[format] = rules


def plain_parquet_rules(table: str, format: str) -> PlainParquetRules:
    """Return the rules of a table's format.

    Raises:
        NotPlainParquet: there are none.
    """
    rules = _RULES.get(format)
    if rules is None:
        raise NotPlainParquet(table, f"its format is {format}")
    return rules


def columns_of(fields: Sequence[Row]) -> Columns:
    """Return the columns of a schema's JSON."""
    return dict(walk(fields, ""))


def walk(fields: Sequence[Row], above: str) -> Iterator[tuple[str, tuple[int | None, str]]]:
    """Yield the items of :func:`columns_of`; a path twice if two columns have it."""
    for field in fields:
        yield from _nested(f"{above}{field['name']}", field.get("id"), field["type"])


def _nested(path: str, field_id: int | None, type: str | Row) -> Iterator[tuple[str, tuple[int | None, str]]]:
    if isinstance(type, str):
        yield path, (field_id, type)
        return
    kind = type["type"]
    yield path, (field_id, kind)
    if kind == "struct":
        yield from walk(type["fields"], f"{path}.")
    elif kind == "list":
        yield from _nested(f"{path}.element", type.get("element-id"), type["element"])
    elif kind == "map":
        yield from _nested(f"{path}.key", type.get("key-id"), type["key"])
        yield from _nested(f"{path}.value", type.get("value-id"), type["value"])


def _difference(target: Columns, other: Columns) -> str | None:
    """Return how ``other`` differs from the columns to read, or None; order and nullability do not count."""
    for path, (field_id, kind) in other.items():
        if path not in target:
            return f"it has column {path}, which was renamed or dropped"
        if target[path][0] != field_id:
            return f"its {path} is another column of that name"
        if target[path][1] != kind:
            return f"its {path} is {kind}, not {target[path][1]}"
    absent = next((path for path in target if path not in other), None)
    return None if absent is None else f"it has no column {absent}"


def _segments(path: str, top: set[str]) -> list[str]:
    """Return the names of a path; a top-level column is one name, even with dots in it."""
    return [path] if path in top else path.split(".")


def _is_leaf(column: tuple[int | None, str]) -> bool:
    return column[1] not in {"struct", "list", "map"}


def _check_mapping(table: str, text: str, columns: Columns) -> None:
    """Check that the name mapping, by which files without field ids are read, gives each column its own name only."""
    by_id = {field_id: path.rsplit(".", 1)[-1] for path, (field_id, _) in columns.items()}
    try:
        pending = list(json.loads(text))
        while pending:
            mapped = pending.pop()
            name = by_id.get(mapped.get("field-id"))
            if name is not None and mapped["names"] != [name]:
                raise NotPlainParquet(table, f"files without ids may have another name for column {name}")
            pending += mapped.get("fields") or []
    except (ValueError, TypeError, KeyError, AttributeError) as cause:
        raise NotPlainParquet(table, f"its {NAME_MAPPING} cannot be read") from cause
