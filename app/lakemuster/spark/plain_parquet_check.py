"""Check that reading a table's Parquet files by column name gives the same rows as reading them by the format's rules.

Pure: the table's metadata from the server in, the reason against it out. Missing information counts as a reason.

Source: Iceberg spec, "Column Projection" and "Name Mapping Serialization"; Paimon's schema evolution by field id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.errors import NotPlainParquet

Columns = Mapping[str, tuple[int | None, str]]
"""Field id and type by dotted path, nested fields included; a nested type is ``struct``, ``list`` or ``map``."""

NAME_MAPPING = "schema.name-mapping.default"

# Names that Iceberg's writers leave unchanged; they escape others in the files.
_UNCHANGED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_UNREADABLE = {
    "iceberg": re.compile(r"uuid|time|timestamp(tz)?_ns|unknown|variant|geometry.*|geography.*"),
    # Timestamps of more than six digits are stored as INT96, which Spark reads as an instant.
    "paimon": re.compile(
        r"(TIME\b(?!STAMP)|TIMESTAMP(_LTZ)?\([789]\)|MULTISET|VARIANT|BLOB|VECTOR|UNKNOWN|NULL).*", re.IGNORECASE
    ),
}
_DEFAULT_WHEN_READ = re.compile(r"fields\..+\.default-value")
_PATTERN = re.compile(r"[{}\[\]*?\\]")


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


def file_requirements(
    table: str,
    format: str,
    target: Row,
    schemas: Sequence[Row],
    specs: Sequence[Row],
    properties: Mapping[str, str],
    *,
    is_case_sensitive: bool = False,
) -> FileRequirements:
    """The requirements on files, so that ``target``, one of ``schemas``, can be read by name.

    Raises:
        NotPlainParquet: no file of the table can be read by name.
    """
    columns = columns_of(target["fields"])
    top = {field["name"] for field in target["fields"]}
    names = [path if is_case_sensitive else path.lower() for path, _ in _walk(target["fields"], "")]
    if len(set(names)) < len(names):
        raise NotPlainParquet(table, "names of columns differ by nothing, or by case alone")
    for path, (_, kind) in columns.items():
        if _UNREADABLE[format].fullmatch(kind):
            raise NotPlainParquet(table, f"column {path} is {kind}, which Spark reads otherwise or not at all")
    differences = {row["schema_id"]: _difference(columns, columns_of(row["fields"])) for row in schemas}
    sources = {
        source for spec in specs for field in spec["fields"] if field["transform"] == "identity"
        for source in field["source_ids"]
    }  # fmt: skip
    shown = {path for path, (field_id, _) in columns.items() if field_id in sources}
    if format == "paimon":
        if key := next((key for key in properties if _DEFAULT_WHEN_READ.fullmatch(key)), None):
            raise NotPlainParquet(table, f"{key} is filled in when it is read")
        return FileRequirements(table, format, columns, tuple(sorted(shown)), differences)

    if name := next((path for path in columns if not all(map(_UNCHANGED_NAME.fullmatch, _segments(path, top)))), None):
        raise NotPlainParquet(table, f"column {name} has another name in the files")
    missing = set(range(max(differences) + 1)) - set(differences)
    if missing:
        raise NotPlainParquet(table, f"schema {min(missing)} is forgotten, which files may be of")
    for row in schemas:
        other = columns_of(row["fields"])
        if (difference := _difference({path: columns[path] for path in columns if path in other}, other)) is not None:
            raise NotPlainParquet(table, f"schema {row['schema_id']} differs: {difference}")
        shown |= columns.keys() - other.keys()
    if NAME_MAPPING in properties:
        _check_mapping(table, properties[NAME_MAPPING], columns)
        shown |= columns.keys()
    return FileRequirements(
        table, format, columns, tuple(sorted(path for path in shown if _is_leaf(columns[path]))), {}
    )


def check_files(requirements: FileRequirements, files: pa.Table) -> None:
    """Check the files of a plan, which has the statistics of ``requirements.shown``, against the requirements.

    Raises:
        NotPlainParquet: names the first file that does not meet them, and the reason.
    """
    names = [name for name in _CHECKED_COLUMNS if name in files.column_names]
    seen: set[str] = set()
    for file in files.select(names).to_pylist():
        path = file["file_path"]
        problem = _problem(requirements, file)
        if problem is None and path in seen:
            problem = "the table holds it twice"
        if problem is not None:
            raise NotPlainParquet(requirements.table, problem, path)
        seen.add(path)


_CHECKED_COLUMNS = (
    "file_path", "content", "file_format", "key_metadata", "deletes", "deletion_vector", "raw_convertible",
    "branch", "schema_id", "write_cols", "column_sizes", "null_value_counts",
)  # fmt: skip


def _problem(requirements: FileRequirements, file: Row) -> str | None:
    if file.get("branch") is not None:
        return f"it is of another branch, {file['branch']}"
    if file["content"] != "data":
        return f"it holds {file['content']}"
    if file["deletes"]:
        return f"{len(file['deletes'])} delete files apply"
    if file.get("deletion_vector") is not None:
        return "a deletion vector applies"
    if file.get("raw_convertible") is False:
        return "it must be merged with others"
    if file["file_format"] != "parquet":
        return f"its format is {file['file_format']}"
    if file.get("key_metadata") is not None:
        return "it is encrypted"
    if requirements.format == "paimon":
        problem = _paimon_problem(requirements, file)
    else:
        sizes = file.get("column_sizes") or {}
        unknown = next((path for path in requirements.shown if sizes.get(path) is None), None)
        problem = None if unknown is None else f"it is not known to hold column {unknown}"
    return problem or _path_problem(file["file_path"])


def _paimon_problem(requirements: FileRequirements, file: Row) -> str | None:
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


def _path_problem(path: str) -> str | None:
    if _PATTERN.search(path):
        return "Spark takes its path for a pattern"
    name = path.rsplit("/", 1)[-1]
    if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
        return "Spark passes over files of such names"
    return None


def columns_of(fields: Sequence[Row]) -> Columns:
    """The columns of a schema's JSON."""
    return dict(_walk(fields, ""))


def _walk(fields: Sequence[Row], above: str) -> Iterator[tuple[str, tuple[int | None, str]]]:
    for field in fields:
        yield from _nested(f"{above}{field['name']}", field.get("id"), field["type"])


def _nested(path: str, field_id: int | None, type: str | Row) -> Iterator[tuple[str, tuple[int | None, str]]]:
    if isinstance(type, str):
        yield path, (field_id, type)
        return
    kind = type["type"]
    yield path, (field_id, kind)
    if kind == "struct":
        yield from _walk(type["fields"], f"{path}.")
    elif kind == "list":
        yield from _nested(f"{path}.element", type.get("element-id"), type["element"])
    elif kind == "map":
        yield from _nested(f"{path}.key", type.get("key-id"), type["key"])
        yield from _nested(f"{path}.value", type.get("value-id"), type["value"])


def _difference(target: Columns, other: Columns) -> str | None:
    """How ``other`` differs from the columns to read, None if it does not; order and nullability do not count."""
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
    """The names of a path; a top-level column is one name, even with dots in it."""
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
                raise NotPlainParquet(table, f"files without ids may name column {name} otherwise")
            pending += mapped.get("fields") or []
    except (ValueError, TypeError, KeyError, AttributeError) as cause:
        raise NotPlainParquet(table, f"its {NAME_MAPPING} cannot be read") from cause
