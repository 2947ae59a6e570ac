"""Check that reading a table's Parquet files by column name gives the same rows as reading them by the format's rules.

Pure: the table's metadata from the server in, the reason against it out. Missing information counts as a reason.

Source: Iceberg spec, "Column Projection" and "Name Mapping Serialization"; Paimon's schema evolution by field id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pyarrow as pa

from lakemuster.client.model import Row
from lakemuster.spark.errors import NotPlainParquet
from lakemuster.spark.plain_parquet_formats import (
    FileRequirements,
    PlainParquetRules,
    columns_of,
    plain_parquet_rules,
    walk,
)

_PATTERN = re.compile(r"[{}\[\]*?\\]")


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
    """Return the requirements on files, so that ``target``, one of ``schemas``, can be read by name.

    Raises:
        NotPlainParquet: no file of the table can be read by name.
    """
    rules = plain_parquet_rules(table, format)
    columns = columns_of(target["fields"])
    top = {field["name"] for field in target["fields"]}
    names = [path if is_case_sensitive else path.lower() for path, _ in walk(target["fields"], "")]
    if len(set(names)) < len(names):
        raise NotPlainParquet(table, "column names are equal, or differ only in case")
    for path, (_, kind) in columns.items():
        if rules.unreadable.fullmatch(kind):
            raise NotPlainParquet(table, f"column {path} is {kind}, which Spark reads differently or not at all")
    sources = {
        source for spec in specs for field in spec["fields"] if field["transform"] == "identity"
        for source in field["source_ids"]
    }  # fmt: skip
    shown = {path for path, (field_id, _) in columns.items() if field_id in sources}
    return rules.requirements(table, columns, top, shown, schemas, properties)


def check_files(requirements: FileRequirements, files: pa.Table) -> None:
    """Check the files of a plan, which has the statistics of ``requirements.shown``, against the requirements.

    Raises:
        NotPlainParquet: names the first file that does not meet them, and the reason.
    """
    names = [name for name in _CHECKED_COLUMNS if name in files.column_names]
    seen: set[str] = set()
    rules = plain_parquet_rules(requirements.table, requirements.format)
    for file in files.select(names).to_pylist():
        path = file["file_path"]
        problem = _problem(rules, requirements, file)
        if problem is None and path in seen:
            problem = "the table holds it twice"
        if problem is not None:
            raise NotPlainParquet(requirements.table, problem, path)
        seen.add(path)


_CHECKED_COLUMNS = (
    "file_path", "content", "file_format", "key_metadata", "deletes", "deletion_vector", "raw_convertible",
    "branch", "schema_id", "write_cols", "column_sizes", "null_value_counts",
)  # fmt: skip


def _problem(rules: PlainParquetRules, requirements: FileRequirements, file: Row) -> str | None:
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
    return rules.problem(requirements, file) or _path_problem(file["file_path"])


def _path_problem(path: str) -> str | None:
    if _PATTERN.search(path):
        return "Spark would read its path as a pattern"
    name = path.rsplit("/", 1)[-1]
    if name.startswith(".") or (name.startswith("_") and "=" not in name) or name.endswith("._COPYING_"):
        return "Spark skips files with such names"
    return None
