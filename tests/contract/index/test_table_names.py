"""Names and namespaces of a format's tables, on every database; companions are in ``test_companions.py``."""

from __future__ import annotations

from lakemuster.index.database import Database
from lakemuster.index.table_names import names_of_format, namespaces_of_format
from lakemuster.index.tables import add_table, list_tables

ICEBERG = ["one", "shop.a", "shop.b", "shop.eu.a", "`a.b`.`c.d`", "a.b$c"]
PAIMON = ["shop.p", "only.x$y", "a$b.c", "`q.$`.t", "ü\U0001f40b.z"]


def test_names_and_namespaces_are_those_of_one_format(database: Database) -> None:
    with database.session() as session:
        for kind, names in (("iceberg", ICEBERG), ("paimon", PAIMON)):
            for name in names:
                add_table(session, name, f"s3://lake/{name}", kind)
    with database.reading() as session:
        assert sorted(names_of_format(session, "iceberg")) == sorted(ICEBERG)
        assert sorted(names_of_format(session, "iceberg", "shop")) == ["shop.a", "shop.b"]
        assert names_of_format(session, "paimon", "shop.eu") == []
        assert sorted(namespaces_of_format(session, "iceberg")) == ["", "`a.b`", "a", "shop", "shop.eu"]
        without = namespaces_of_format(session, "paimon", "$")
        assert sorted(without) == sorted(["shop", "a$b", "`q.$`", "ü\U0001f40b"])
        assert sorted(namespaces_of_format(session, "paimon")) == sorted([*without, "only"])
        assert [table.name for table in list_tables(session, "shop")] == ["shop.a", "shop.b", "shop.p"]
        assert [table.name for table in list_tables(session, "")] == ["one"]
