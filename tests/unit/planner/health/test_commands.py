"""Commands are quoted and name tables as their Spark catalogs do."""

from __future__ import annotations

import pytest

from lakemuster.planner.health.commands import Commands
from lakemuster.upstream.locations import catalog_location


@pytest.mark.parametrize(
    ("name", "location", "catalog", "call"),
    [
        ("shop.orders", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.orders')"),
        ("shop.orders", "s3://b/t", "lake", "CALL lake.system.p(table => 'shop.orders')"),
        ("a.b.c", "s3://b/t", "my-lake", "CALL `my-lake`.system.p(table => 'a.b.c')"),
        ("shop.`a.b`", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.`a.b`')"),
        ("shop.it's", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.`it\\'s`')"),
        ("shop.back\\slash", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.`back\\\\slash`')"),
        ("shop.`tick```", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.`tick```')"),
        ("shop.1st", "s3://b/t", None, "CALL spark_catalog.system.p(table => 'shop.`1st`')"),
        ("prod.ns.t", catalog_location("prod", ("ns", "t")), None, "CALL prod.system.p(table => 'ns.t')"),
        ("prod.ns.t", catalog_location("prod", ("ns", "t")), "spark", "CALL spark.system.p(table => 'ns.t')"),
    ],
)
def test_a_call_names_the_table_of_its_catalog(name: str, location: str, catalog: str | None, call: str) -> None:
    assert Commands.of(name, location, catalog).call("system", "p") == call


def test_options_and_properties_are_literals() -> None:
    commands = Commands("lake", ("a", "b c"))
    called = commands.call("sys", "compact", {"k'": "v"}, order_by="id")
    assert called == "CALL lake.sys.compact(table => 'a.`b c`', order_by => 'id', options => map('k\\'', 'v'))"
    assert commands.set_properties({"x": "y'"}) == "ALTER TABLE lake.a.`b c` SET TBLPROPERTIES ('x' = 'y\\'')"
