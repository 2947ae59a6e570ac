"""Row ids and sequence numbers of version 3 tables: the values of a plain catalog, or an error that names a remedy.

Iceberg 1.12 reads row ids from a server's plans, but no sequence numbers: a plan of them is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.journey.servers import Running
from tests.journey.spark import tables
from tests.spark import Rows, Spark, SparkFailed

pytestmark = pytest.mark.timeout(1800)

LINEAGE = [
    "SELECT count(*) FROM {t} WHERE _last_updated_sequence_number >= 3",
    "SELECT id, _row_id, _last_updated_sequence_number FROM {t}",
    "SELECT _last_updated_sequence_number, count(*) FROM {t} GROUP BY _last_updated_sequence_number",
    "SELECT id FROM {t} WHERE _LAST_UPDATED_SEQUENCE_NUMBER = 2 AND part = 1",
    "SELECT max(_last_updated_sequence_number) FROM {t} WHERE id < 20",
    "SELECT id, _last_updated_sequence_number FROM {t} VERSION AS OF 'first'",
]
OTHERS = [
    "SELECT id, _row_id FROM {t}",
    "SELECT id, name, _row_id, _pos, _spec_id FROM {t} WHERE part = 2",
    "SELECT count(*) FROM {t} WHERE _row_id >= 30",
    "SELECT id, _row_id FROM {t} VERSION AS OF 'first' WHERE id > 4",
    "SELECT count(*), max(id) FROM {t}",
]


@dataclass
class Lineage:
    """A version 3 table, and its rows by catalog."""

    spark: Spark
    running: Running

    def ask(self, catalog: str, query: str) -> Rows:
        """Return the rows of a query."""
        return self.spark.sql(query.format(t=f"{catalog}.lined.rows"))

    def plans(self, at_least: int = 0) -> int:
        """Return the number of logged requests for plans of the table; wait for at least ``at_least``."""
        return self.running.logged("/namespaces/lined/tables/rows/plan", at_least)


@pytest.fixture(scope="module")
def lineage(spark: Spark, server: Running) -> Lineage:
    table = "plain.lined.rows"
    columns = {"id": ("bigint", ""), "name": ("string", ""), "part": ("int", "")}
    spark.sql(tables.create(table, columns, "PARTITIONED BY (part)", 3, tables.MARKED))
    for start in (0, 12, 24):
        spark.sql(tables.insert(table, ["id", "'n' || id", "CAST(id % 3 AS int)"], start, start + 12))
        if not start:
            spark.sql(f"ALTER TABLE {table} CREATE TAG first")
    spark.sql(f"UPDATE {table} SET name = 'changed' WHERE id IN (3, 14, 30)")
    spark.sql(f"DELETE FROM {table} WHERE id IN (4, 15)")
    spark.sql(f"MERGE INTO {table} t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'")
    # Rows keep their sequence numbers when a rewrite copies them.
    spark.sql("CALL plain.system.rewrite_data_files(table => 'lined.rows', where => 'part = 0')")
    spark.sql(tables.insert(table, ["id", "'n' || id", "CAST(id % 3 AS int)"], 36, 40))
    for catalog, more in {
        "lined": {},
        "lined_server": {"scan-planning-mode": "server"},
        "lined_client": {"scan-planning-mode": "client", "warehouse": "any"},
    }.items():
        settings = {"type": "rest", "uri": f"{server.uri}/iceberg", "cache-enabled": "false"} | more
        named = {f"spark.sql.catalog.{catalog}.{name}": value for name, value in settings.items()}
        cls = {f"spark.sql.catalog.{catalog}": "org.apache.iceberg.spark.SparkCatalog"}
        spark.ask("configure", settings=cls | named)
    tables.discover(spark, "lined")
    return Lineage(spark, server)


def test_the_plain_catalog_knows_numbers(lineage: Lineage) -> None:
    numbers = [number for number, _ in lineage.ask("plain", LINEAGE[2])]
    assert len(numbers) >= 5
    assert None not in numbers
    assert all(lineage.ask("plain", query) for query in [*LINEAGE, *OTHERS])


@pytest.mark.parametrize("query", OTHERS)
def test_what_the_client_reads_right_is_planned_by_the_server(lineage: Lineage, query: str) -> None:
    expected, before = lineage.ask("plain", query), lineage.plans()
    assert lineage.ask("lined", query) == expected
    assert lineage.ask("lined_server", query) == expected
    assert lineage.ask("lined_client", query) == expected
    assert lineage.plans(before + 1) > before


@pytest.mark.parametrize("query", LINEAGE)
def test_sequence_numbers_are_right_or_refused(lineage: Lineage, query: str) -> None:
    before = lineage.plans()
    assert lineage.ask("lined_client", query) == lineage.ask("plain", query)
    assert lineage.plans() == before
    for catalog in ("lined", "lined_server"):
        with pytest.raises(SparkFailed, match=r"_last_updated_sequence_number.*scan-planning-mode=client"):
            lineage.ask(catalog, query)
