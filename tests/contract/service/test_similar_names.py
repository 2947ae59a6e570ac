"""Similar names in the index: in the same namespace, or with the same last level; equal on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakemuster.index.companions import set_companion
from lakemuster.index.database import Database
from lakemuster.index.tables import add_table, similar_names
from lakemuster.metadata.names import parse_name
from lakemuster.metadata.snapshot import Format

NAMES = ("shop.orders", "Shop.Stock", "web.orders", "orders", "web.clicks", "shopx.a", "sh_p.b", "`a.b`.c")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/index.db"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    database = Database(url)
    database.migrate()
    with database.session() as session:
        for name in NAMES:
            add_table(session, name, f"s3://lake/{name}", "iceberg")
        set_companion(
            session, add_table(session, "shop.parts", "s3://lake/parts", "paimon"), "s3://lake/companion", "iceberg"
        )
    yield database
    database.close()


def found(database: Database, name: str, format: Format | None = None, limit: int = 100) -> list[str]:
    with database.reading() as session:
        return similar_names(session, parse_name(name), format, limit)


def test_names_of_the_namespace_and_of_the_last_level_are_found_in_any_case(database: Database) -> None:
    assert set(found(database, "shop.order")) == {"Shop.Stock", "shop.parts", "shop.orders"}
    assert set(found(database, "SHOP.ORDERS")) == {"Shop.Stock", "shop.parts", "shop.orders", "web.orders", "orders"}


def test_names_of_like_length_come_first(database: Database) -> None:
    lengths = [abs(len(name) - len("SHOP.ORDERS")) for name in found(database, "SHOP.ORDERS")]
    assert lengths == sorted(lengths)
    assert found(database, "SHOP.ORDERS", limit=1) == ["shop.orders"]


def test_wildcards_of_sql_are_plain_characters(database: Database) -> None:
    assert found(database, "sh_p.x") == ["sh_p.b"]
    assert found(database, "a.%") == []


def test_a_level_that_holds_a_dot_is_one_level(database: Database) -> None:
    assert found(database, "`a.b`.x") == ["`a.b`.c"]


def test_the_names_of_one_format_include_companions(database: Database) -> None:
    assert found(database, "shop.part", "paimon") == ["shop.parts"]
    assert set(found(database, "shop.part", "iceberg")) == {"Shop.Stock", "shop.parts", "shop.orders"}
    assert found(database, "shop.part").count("shop.parts") == 1
