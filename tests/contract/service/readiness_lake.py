"""A table partitioned by day and region that PyIceberg writes, and a clock that tests advance."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import DayTransform, IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType, TimestamptzType
from sqlalchemy import create_engine, text

from lakemuster.catalog.services import Services
from lakemuster.config import Settings, load_settings
from lakemuster.index.events import read_log
from lakemuster.jobs.job import Run
from lakemuster.jobs.readiness import TellReadyPartitions
from lakemuster.main import build_services
from tests.clocks import SteppedClock

NAME = "shop.sales"
ARROW = pa.schema([("id", pa.int64()), ("at", pa.timestamp("us", "UTC")), ("region", pa.string())])


class PostgresClock:
    """An offset to the clock of a PostgreSQL database: a function shadows the server's own."""

    def __init__(self, database_url: str) -> None:
        self._engine = create_engine(database_url)
        with self._engine.begin() as connection:
            connection.execute(text("CREATE TABLE passed AS SELECT interval '0' AS time"))
            connection.execute(
                text(
                    "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS "
                    "'SELECT pg_catalog.clock_timestamp() + time FROM public.passed'"
                )
            )
            name = connection.scalar(text("SELECT current_database()"))
            connection.execute(text(f"ALTER DATABASE {name} SET search_path = public, pg_catalog"))

    def pass_seconds(self, seconds: float) -> None:
        """Advance the clock."""
        with self._engine.begin() as connection:
            connection.execute(text("UPDATE passed SET time = time + make_interval(secs => :s)"), {"s": seconds})

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


@dataclass
class Lake:
    """The table, services over it, and their clock."""

    table: Any
    services: Services
    clock: SteppedClock
    folder: Path
    postgres: PostgresClock | None = None

    def commit(self, *days: str, region: str = "eu", **summary: str) -> None:
        """Append a row for each day, and refresh the table."""
        at = [dt.datetime.fromisoformat(f"{day}T12:00:00+00:00") for day in days]
        rows = {"id": list(range(len(days))), "at": at, "region": [region] * len(days)}
        self.table.append(
            pa.table(rows, ARROW), snapshot_properties={k.replace("_", "."): v for k, v in summary.items()}
        )
        self.look()

    def drop(self, day: str) -> None:
        """Delete the rows of a day, and refresh the table."""
        self.table.delete(f"at >= '{day}T00:00:00+00:00' and at <= '{day}T23:59:59+00:00'")
        self.look()

    def look(self) -> None:
        """Refresh the table."""
        self.services.refresh(NAME)

    def pass_hours(self, hours: float) -> None:
        """Advance the clocks, and refresh the unchanged table."""
        self.clock.pass_seconds(hours * 3600)
        if self.postgres is not None:
            self.postgres.pass_seconds(hours * 3600)
        self.look()

    def tell(self, job: TellReadyPartitions | None = None) -> None:
        """Run the job once, by default a new instance."""
        (job or TellReadyPartitions(self.services)).run(Run(lambda: True))

    def told(self) -> list[tuple[str, str, str]]:
        """Return the rule, day and region of each ``partition.ready`` event, in order."""
        page = read_log(self.services.index.database, 0, 10_000)
        found = [one.data for one in page.events if one.type == "partition.ready"]
        return [(one["rule"], one["partition"]["day"], one["partition"]["region"]) for one in found]


@contextmanager
def lake(folder: Path, rules: list[dict[str, Any]] | dict[str, Any], database_url: str | None = None) -> Iterator[Lake]:
    """Yield an empty table with rules, registered and indexed."""
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=folder.as_uri())
    catalog.create_namespace("shop")
    schema = Schema(
        NestedField(1, "id", LongType()),
        NestedField(2, "at", TimestamptzType()),
        NestedField(3, "region", StringType()),
    )
    spec = PartitionSpec(
        PartitionField(2, 1000, DayTransform(), "day"), PartitionField(3, 1001, IdentityTransform(), "region")
    )
    table = catalog.create_table(NAME, schema, partition_spec=spec)
    clock = SteppedClock()
    postgres = None if database_url is None else PostgresClock(database_url)
    services = build_services(settings_of(folder, rules, database_url), clock=clock)
    services.add(NAME, table.location(), None, (), operator=True)
    found = Lake(table, services, clock, folder, postgres)
    found.look()
    yield found
    services.close()
    services.index.database.close()
    if postgres is not None:
        postgres.close()


def settings_of(folder: Path, rules: object, database_url: str | None) -> Settings:
    """Return settings with rules for all tables."""
    return load_settings(
        database_url=database_url or f"sqlite:///{folder}/index.db",
        segments_url=str(folder / "segments"),
        cache_dir=str(folder / "cache"),
        roots=(str(folder),),
        decoders=1,
        max_staleness=0,
        tables={"*": {"partition_ready": rules}},
    )
