"""The metadata that reading a Paimon table's files needs: columns, keys, schemas and options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import pyarrow as pa

from lakemuster.errors import MetadataCorrupt
from lakemuster.metadata.types import Field
from lakemuster.spark.reading.model import NotReadable, TableToRead
from lakemuster.spark.reading.paimon.schemas import NoSparkType, fields_of, spark_field

_CHAIN = "chain-table.enabled"
_READ_DEFAULT = "fields.{}.default-value"


def of_branch(table: TableToRead, branch: str | None) -> TableToRead:
    """Return the table with the schema and options of another branch, to read that branch's files.

    Args:
        branch: None for the requested branch.

    Raises:
        NotReadable: the branch's schema is unknown.
    """
    if branch is None:
        return table
    for row in table.schemas:
        if row.get("branch") == branch and row["current"]:
            return replace(table, schema=row, properties=dict(row.get("options") or {}))
    raise NotReadable(table.name, f"the schema of branch {branch} is not known")


@dataclass(frozen=True)
class PaimonTable:
    """A table's parsed metadata.

    Attributes:
        name: the dotted name.
        fields: all columns of the schema to read rows with.
        wanted: the columns to read, in output order.
        partition_keys, primary_keys: column names.
        schemas: the columns of each schema that files may have, by schema id.
        options: the table's options.
    """

    name: str
    fields: tuple[Field, ...]
    wanted: tuple[Field, ...]
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    schemas: Mapping[int, tuple[Field, ...]]
    options: Mapping[str, str]

    @classmethod
    def of(cls, table: TableToRead) -> Self:
        """Parse the server's metadata of a table.

        Raises:
            NotReadable: a schema is invalid, a requested column does not exist, or Paimon's result is not known here.
        """
        branch = table.schema.get("branch")
        try:
            fields = fields_of(table.schema["fields"])
            schemas = {
                int(row["schema_id"]): fields_of(row["fields"]) for row in table.schemas if row.get("branch") == branch
            }
        except MetadataCorrupt as problem:
            raise NotReadable(table.name, f"its schema cannot be parsed: {problem.message}") from problem
        if table.properties.get(_CHAIN, "").lower() == "true":
            raise NotReadable(table.name, f"partitions are combined from several, by {_CHAIN}")
        by_name = {field.name: field for field in fields}
        for name in table.columns:
            if name not in by_name:
                raise NotReadable(table.name, f"it has no column {name}")
            if _READ_DEFAULT.format(name) in table.properties:
                raise NotReadable(table.name, f"versions of Paimon differ in what {_READ_DEFAULT.format(name)} does")
        return cls(
            table.name,
            fields,
            tuple(by_name[name] for name in table.columns),
            tuple(table.schema["partition_keys"]),
            tuple(table.schema["primary_keys"]),
            {int(table.schema["schema_id"]): fields, **schemas},
            table.properties,
        )

    def flag(self, option: str) -> bool:
        """Return whether an option is set to true."""
        return self.options.get(option, "").strip().lower() == "true"

    @cached_property
    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the columns to read.

        Raises:
            NotReadable: Spark has no type for a column.
        """
        try:
            return pa.schema([spark_field(field) for field in self.wanted])
        except NoSparkType as problem:
            raise NotReadable(self.name, f"a column is of type {problem}, which Spark cannot be given") from problem
