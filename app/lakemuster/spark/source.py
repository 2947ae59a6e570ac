"""The Python data source behind ``spark.read.format("lakemuster")``, on the driver. Needs PySpark 4.1 or newer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NoReturn

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from lakemuster.spark.errors import OptionInvalid, ReadOnly, in_one_line
from lakemuster.spark.options import FIRST_RETRIES, Options
from lakemuster.spark.reader import PushingReader, Reader
from lakemuster.spark.reading.formats import format_reader
from lakemuster.spark.reading.row_filter import RowFilter
from lakemuster.spark.snapshot_pin import PinnedTable, pin
from lakemuster.spark.spark_types import struct_type
from lakemuster.spark.stream import StreamReader
from lakemuster.spark.table_comments import comments_of

NAME = "lakemuster"


class LakemusterSource(DataSource):  # type: ignore[misc]  # PySpark is not installed where mypy runs
    """A table of a Lakemuster server.

    Spark creates one for each ``load`` in a Python worker of the driver, calls ``schema`` and pickles it. Every action
    on the DataFrame reads the snapshot that the schema was taken from.
    """

    defaults: ClassVar[Mapping[str, str]] = {}
    """Options from the session's settings; those of a ``load`` override them."""

    def __init__(self, options: Mapping[str, str]) -> None:
        super().__init__(options)
        self._given = {name.lower(): text for name, text in options.items()}
        self._parsed: Options | None = None
        self._pinned: PinnedTable | None = None

    @property
    def _name(self) -> str | None:
        return self._given.get("path")

    @property
    def _options(self) -> Options:
        if self._parsed is None:
            self._parsed = Options.of({**self.defaults, **self._given})
        return self._parsed

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format(...)``."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns to read, with the types that Spark's own readers of the format give them.

        Raises:
            NotReadable: the table cannot be read, or Spark has no type for a column.
            ClientError: the server refused or failed.
        """
        with in_one_line(self._name):
            return self._schema()

    def _schema(self) -> StructType:
        with self._options.client(FIRST_RETRIES) as client:
            self._pinned = pin(client.table(self._options.table), self._options)
        table = self._pinned.table
        reader = format_reader(table)
        reader.check(table)
        if self._options.filter is not None:
            reader.read_schema(RowFilter.of(self._options.filter, table).table)
        return struct_type(reader.read_schema(table), comments_of(table.schema), keeps_required=True)

    def reader(self, schema: StructType) -> Reader:
        """Return a reader of the snapshot that :meth:`schema` pinned.

        Raises:
            OptionInvalid: the user gave a schema with types that differ from the table's, or an option of streams.
        """
        with in_one_line(self._name):
            self._options.check_batch()
            return (PushingReader if self._options.pushdown else Reader)(self._options, self._for(schema))

    def streamReader(self, schema: StructType) -> StreamReader:  # noqa: N802 - Spark's name
        """Return a reader that follows the table, with the columns that :meth:`schema` pinned.

        Raises:
            OptionInvalid: as for :meth:`reader`, or an option selects a single snapshot.
            NotAppendOnly: the table is not append-only.
        """
        with in_one_line(self._name):
            return StreamReader(self._options, self._for(schema))

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:
        """Refuse to write.

        Raises:
            ReadOnly: always.
        """
        with in_one_line(self._name):
            raise ReadOnly(self._name)

    def streamWriter(self, schema: StructType, overwrite: bool) -> NoReturn:  # noqa: N802 - Spark's name
        """Refuse to write.

        Raises:
            ReadOnly: always.
        """
        self.writer(schema, overwrite)

    def _for(self, given: StructType) -> PinnedTable:
        """Return the pinned table; pin it if the user gave a schema, since Spark then does not call :meth:`schema`."""
        if self._pinned is not None:
            return self._pinned
        own_names = [name for name in given.names if name not in self._options.metadata_columns]
        self._parsed = replace(self._options, columns=tuple(own_names))
        own = self._schema()
        assert self._pinned is not None
        if given.names != [*own_names, *self._options.metadata_columns]:
            raise OptionInvalid("schema", f"has metadata columns elsewhere than at its end: {', '.join(own.names)}")
        wrong = [field.name for field, asked in zip(own, given, strict=True) if field.dataType != asked.dataType]
        if wrong:
            types = {field.name: field.dataType.simpleString() for field in own}
            raise OptionInvalid("schema", f"has another type for {wrong[0]}, which is {types[wrong[0]]}")
        return self._pinned


def with_defaults(defaults: Mapping[str, str]) -> type[LakemusterSource]:
    """Return the data source with a session's options. No module contains this class, so it is pickled by value."""
    return type("SessionSource", (LakemusterSource,), {"defaults": dict(defaults), "__module__": __name__})
