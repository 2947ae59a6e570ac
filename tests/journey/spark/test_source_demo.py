"""The data source on Spark 4.3 without a jar: the demo lake, both formats, and the examples of the documentation."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lakemuster import Client
from tests.journey.servers import Running
from tests.journey.spark import examples
from tests.pages import examples as shown_examples
from tests.pages import matches
from tests.spark import Spark
from tests.tree import ROOT

pytestmark = pytest.mark.timeout(900)
PAIMON = {"shop.stock": ("sku", "warehouse", "quantity"), "web.clicks": ("click_id", "dt", "url", "referrer")}

READ = """
def main(warehouse, table, columns):
    import pypaimon
    catalog = pypaimon.CatalogFactory.create({"warehouse": warehouse})
    builder = catalog.get_table(table).new_read_builder()
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits()).to_pylist()
    return [[row[name] for name in columns] for row in rows]
"""


@pytest.mark.parametrize("table", PAIMON)
def test_rows_of_paimon_tables_are_pypaimons(
    newest_spark: Spark, demo: Running, run_pypaimon: Callable[..., Any], table: str
) -> None:
    with Client(demo.uri) as client:
        warehouse = Path(client.table(table).info().location).parents[1]
    columns = PAIMON[table]
    expected = run_pypaimon(READ, warehouse=str(warehouse), table=table, columns=columns)
    for options in ({}, {"task_threshold": "0"}):
        newest_spark.view("stored", table, uri=demo.uri, **options)
        found = newest_spark.sql(f"SELECT {', '.join(columns)} FROM stored")
        assert found == sorted(expected, key=json.dumps)
    assert len(expected) > 100


PRINTED = {
    "LOOKUP": """
100004 2024-05-01 shipped 317.41
104048 2024-05-05 shipped 449.94
108014 2024-05-09 cancelled 61.35
""",
    "STOCK": """
+---------+-------------+----------+
|warehouse|sum(quantity)|count(sku)|
+---------+-------------+----------+
|amsterdam|        42262|       177|
|     lyon|        43629|       181|
+---------+-------------+----------+
""",
    "FIGURES": """
+------------+----------+-----+
|       table|data_files|files|
+------------+----------+-----+
|  web.clicks|         7|    7|
|  web.events|        20|   20|
|web.sessions|        30|   30|
+------------+----------+-----+
""",
    "SMALL_FILES": """
+--------------+-----+-----+-----+
|         table|files|small|bytes|
+--------------+-----+-----+-----+
|shop.customers|    9|    9|32996|
|   shop.orders|   10|   10|34778|
|   shop.prices|   12|   12|33132|
|  shop.returns|    7|    7|16104|
|    shop.stock|   20|   20|61681|
|    web.clicks|    7|    0|31266|
|    web.events|   20|   20|69507|
|  web.sessions|   30|   30|58307|
+--------------+-----+-----+-----+
""",
    "STREAM": """
+----------+------+
|        dt|clicks|
+----------+------+
|2024-05-05|    90|
|2024-05-06|    90|
+----------+------+
""",
}


@pytest.mark.parametrize("name", PRINTED)
def test_examples_print_what_the_documentation_shows(newest_spark: Spark, demo: Running, name: str) -> None:
    script = getattr(examples, name)
    printed = newest_spark.ask("run", packages=newest_spark.packages, script=script, values={"uri": demo.uri})
    assert printed.strip() == PRINTED[name].strip()


def test_the_example_prints_what_its_page_shows(newest_spark: Spark, demo: Running) -> None:
    [shown] = [text for command, text in shown_examples(ROOT / "examples/README.md") if "spark_tables.py" in command]
    script = (ROOT / "examples/spark_tables.py").read_text() + "\nmain(spark, uri)\n"
    printed = newest_spark.ask("run", packages=newest_spark.packages, script=script, values={"uri": demo.uri})
    assert matches(shown, printed), printed
