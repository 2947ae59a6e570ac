"""Runs in Spark's environment: a session that executes actions from standard input, one JSON line each.

``python spark_session.py JAR FOLDER [SITES]`` in an environment with PySpark; JAR may be empty; with SITES, the folder
of the packages of PySpark's Connect client, it is a Connect session. A line names an action of ``Session`` and its
arguments; the result is a JSON line on standard output, to which Spark itself does not write.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import io
import json
import os
import socket
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession

ICEBERG = "org.apache.iceberg"
PAIMON = "org.apache.paimon"
T = TypeVar("T")


def session(jar: str, folder: str, *, connect: bool = False) -> SparkSession:
    """Return a small session; with a jar, it has a catalog ``plain`` of tables as files in ``FOLDER/lake``."""
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.timezone=UTC",
        "spark.local.dir": f"{folder}/spark",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    if "paimon-spark" in jar:
        settings |= {
            "spark.jars": jar,
            "spark.sql.extensions": f"{PAIMON}.spark.extensions.PaimonSparkSessionExtensions",
            "spark.sql.catalog.plain": f"{PAIMON}.spark.SparkCatalog",
            "spark.sql.catalog.plain.warehouse": f"file:{folder}/lake",
        }
    elif jar:
        settings |= {
            "spark.jars": jar,
            "spark.sql.extensions": f"{ICEBERG}.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.plain": f"{ICEBERG}.spark.SparkCatalog",
            "spark.sql.catalog.plain.type": "hadoop",
            "spark.sql.catalog.plain.warehouse": f"{folder}/lake",
            "spark.sql.catalog.plain.cache-enabled": "false",
        }
    builder = SparkSession.builder.remote("local[2]") if connect else SparkSession.builder.master("local[2]")
    if connect:
        settings["spark.connect.grpc.binding.port"] = str(own_port())
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    if not connect:
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def own_port() -> int:
    """Return a free port, and make it the default of Connect's client, since all servers would share one otherwise."""
    from pyspark.sql.connect.client import DefaultChannelBuilder  # importable only with the client's packages

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    DefaultChannelBuilder.default_port = staticmethod(lambda: port)
    return port


def plain(value: Any) -> Any:
    """Return a row's value as JSON that is distinct from all other values of its type."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | Decimal():
            return str(value)
        case bytes() | bytearray():
            return value.hex()
        case dt.date():  # includes datetime
            return value.isoformat()
        case dict():
            return sorted(([plain(key), plain(inner)] for key, inner in value.items()), key=json.dumps)
        case tuple() | list():  # a row is a tuple
            return [plain(inner) for inner in value]
    return str(value)


def ours(packages: list[str]) -> Any:
    """Import ``lakemuster.spark`` with our packages after Spark's."""
    sys.path.extend(folder for folder in packages if folder not in sys.path)
    return importlib.import_module("lakemuster.spark")


def patiently(work: Callable[[], T]) -> T:
    """Return the result of ``work``, with retries if a stream's Python did not start within Spark's ten seconds."""
    for _ in range(5):
        try:
            return work()
        except Exception as problem:
            if "Python worker failed to connect back" not in str(problem):
                raise
    return work()


class Session:
    """The session and its actions."""

    def __init__(self, jar: str, folder: str, sites: str = "") -> None:
        sys.path.extend(sites.split(os.pathsep) if sites else [])
        self.spark = session(jar, folder, connect=bool(sites))
        self.registered = False

    @property
    def java(self) -> Any:
        """The JVM view of py4j."""
        return self.spark.sparkContext._jvm

    def table(self, name: str) -> Any:
        """Return Iceberg's Java object of a table."""
        return self.java.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(self.spark._jsparkSession, name)

    def configure(self, settings: dict[str, str]) -> None:
        """Set session settings; those of a catalog have an effect only before its first use."""
        for name, value in settings.items():
            self.spark.conf.set(name, value)

    def sql(self, text: str) -> list[Any]:
        """Return the rows of a statement, in any order."""
        return self.rows(self.spark.sql(text))

    def read(self, table: str, options: dict[str, str], where: str = "true") -> list[Any]:
        """Return the rows of a table, read with options of Iceberg's data source."""
        return self.rows(self.spark.read.format("iceberg").options(**options).table(table).where(where))

    def parquet(self, paths: list[str], columns: list[str]) -> list[Any]:
        """Return the rows of Parquet files, read by Spark's reader."""
        return self.rows(self.spark.read.parquet(*paths).select(*columns))

    def lakemuster(self, packages: list[str], name: str, options: dict[str, Any]) -> Any:
        """Return the result of a function of ``lakemuster.spark``: rows and types, or a list."""
        found = getattr(ours(packages), name)(self.spark, **options)
        return found if isinstance(found, list) else {"rows": self.rows(found), "types": found.dtypes}

    def view(self, packages: list[str], name: str, table: str, options: dict[str, str]) -> Any:
        """Create a temporary view over our data source, and return its schema."""
        frame = self.source(packages).read.format("lakemuster").options(**options).load(table)
        frame.createOrReplaceTempView(name)
        return json.loads(frame.schema.json())

    def schema(self, table: str) -> Any:
        """Return the schema of a table of a catalog."""
        return json.loads(self.spark.table(table).schema.json())

    def follow(self, packages: list[str], table: str, options: dict[str, str], folder: str) -> None:
        """Write new rows of a table to FOLDER with a stream over our data source, and stop it."""
        frame = self.source(packages).readStream.format("lakemuster").options(**options).load(table)
        sink = frame.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint")

        def once() -> None:
            query = sink.start(f"{folder}/rows")
            try:
                query.processAllAvailable()
            finally:
                query.stop()

        patiently(once)

    def run(self, packages: list[str], script: str, values: dict[str, Any]) -> str:
        """Run a script with the session, as ``spark``, and ``values``; return its output."""
        self.source(packages)

        def once() -> str:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(script, "example", "exec"), {"spark": self.spark, **values})
            return printed.getvalue()

        return patiently(once)

    def source(self, packages: list[str]) -> SparkSession:
        """Register our data source on first use; return the Spark session."""
        if not self.registered:
            ours(packages).register(self.spark)
            self.registered = True
        return self.spark

    def rows(self, frame: DataFrame) -> list[Any]:
        return sorted((plain(row) for row in frame.collect()), key=json.dumps)

    def create(self, name: str, schema: object, spec: object, properties: dict[str, str]) -> None:
        """Create ``plain.NAME`` from Iceberg's JSON schema and partition spec, for types that Spark SQL lacks."""
        iceberg = self.java.org.apache.iceberg
        parsed = iceberg.SchemaParser.fromJson(json.dumps(schema))
        parts = iceberg.PartitionSpecParser.fromJson(parsed, json.dumps(spec))
        catalog = self.spark._jsparkSession.sessionState().catalogManager().catalog("plain").icebergCatalog()
        catalog.createTable(iceberg.catalog.TableIdentifier.parse(name), parsed, parts, properties)

    def append_nothing(self, table: str, files: int) -> None:
        """Commit entries of data files of one row each, without the files."""
        iceberg = self.java.org.apache.iceberg
        loaded = self.table(table)
        append, folder = loaded.newAppend(), f"{loaded.location()}/data"
        one = iceberg.DataFiles.builder(loaded.spec()).withFileSizeInBytes(1).withRecordCount(1)
        for number in range(files):
            append.appendFile(one.withPath(f"{folder}/{number}.parquet").build())
        append.commit()

    def add_with_default(self, table: str, column: str, type: str, default: int | str) -> None:
        """Add a column of a primitive type whose value in existing rows is ``default``."""
        iceberg = self.java.org.apache.iceberg
        parsed = iceberg.types.Types.fromPrimitiveString(type)
        literal = iceberg.expressions.Expressions.lit(default).to(parsed)
        self.table(table).updateSchema().addColumn(column, parsed, literal).commit()

    def equality_delete(self, table: str, rows: list[dict[str, Any]], partition: str = "", spec: int = 0) -> None:
        """Commit an equality delete file with ``rows`` on their columns, in a partition such as ``day=3``.

        Values have Iceberg's JSON single-value form, or are NaN.
        """
        iceberg = self.java.org.apache.iceberg
        loaded = self.table(table)
        columns = loaded.schema().select(list(rows[0]))
        ids = {name: loaded.schema().findField(name).fieldId() for name in rows[0]}
        equal = self.spark.sparkContext._gateway.new_array(self.java.int, len(ids))
        for position, field_id in enumerate(ids.values()):
            equal[position] = field_id
        parts = loaded.specs()[spec]
        place = iceberg.DataFiles.data(parts, partition) if partition else None
        file = iceberg.io.OutputFileFactory.builderFor(loaded, 1, 1).build().newOutputFile(parts, place)
        builder = getattr(iceberg.data.GenericFileWriterFactory, "Builder")(loaded)  # noqa: B009 - py4j requires it
        factory = builder.equalityFieldIds(equal).equalityDeleteRowSchema(columns).build()
        writer = factory.newEqualityDeleteWriter(file, parts, place)
        for row in rows:
            stated = {str(ids[name]): value for name, value in row.items() if value not in {None, "NaN"}}
            record = iceberg.SingleValueParser.fromJson(columns.asStruct(), json.dumps(stated))
            for name in [name for name, value in row.items() if value == "NaN"]:
                record.setField(name, float("nan"))
            writer.write(record)
        writer.close()
        loaded.newRowDelta().addDeletes(writer.toDeleteFile()).commit()


def main() -> None:
    """Execute actions until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    running = Session(*sys.argv[1:])
    print(json.dumps({"ready": type(running.spark).__module__}), file=answers)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"value": getattr(running, asked.pop("action"))(**asked)}
        except Exception as problem:  # noqa: BLE001 - any error of Spark is the response
            answer = {"error": "\n".join(line for line in str(problem).splitlines() if "\tat " not in line)}
        print(json.dumps(answer), file=answers)
    running.spark.stop()


if __name__ == "__main__":
    main()
