"""An SQL catalog is read and never written."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from lakemuster.catalog_settings import CatalogSettings
from lakemuster.errors import ConfigInvalid, TableNotFound, UpstreamFailed
from lakemuster.upstream.sql import SqlCatalog

V0 = "catalog_name TEXT, table_namespace TEXT, table_name TEXT, metadata_location TEXT"


def database(folder: Path, columns: str, *rows: tuple[str | None, ...]) -> Path:
    file = folder / "a catalog.db"
    with sqlite3.connect(file) as connection:
        connection.execute(f"CREATE TABLE iceberg_tables ({columns})")
        connection.execute("CREATE TABLE iceberg_namespace_properties (catalog_name TEXT, namespace TEXT)")
        connection.executemany(f"INSERT INTO iceberg_tables VALUES ({', '.join('?' * len(rows[0]))})", rows)
    connection.close()
    return file


def attached(file: Path, **properties: str) -> SqlCatalog:
    settings = {"type": "sql", "uri": f"sqlite:///{file}", **properties}
    return SqlCatalog("prod", CatalogSettings.model_validate(settings))


def test_only_this_catalogs_tables_are_listed(tmp_path: Path) -> None:
    file = database(
        tmp_path, V0, ("prod", "a.b", "t", "s3://1"), ("prod", "c", "u", "s3://2"), ("other", "c", "v", "s3://3")
    )
    catalog = attached(file)
    assert sorted(catalog.every_table()) == [("a", "b", "t"), ("c", "u")]
    assert catalog.pointer(("a", "b", "t")) == "s3://1"
    for missing in (("c", "v"), ("a.b", "t"), ("a", "t"), ("c", "U"), ("u",)):
        with pytest.raises(TableNotFound):
            catalog.pointer(missing)
    catalog.close()


def test_rows_are_those_of_the_stored_name(tmp_path: Path) -> None:
    catalog = attached(database(tmp_path, V0, ("theirs", "c", "v", "s3://3")), catalog_name="theirs")
    assert list(catalog.every_table()) == [("c", "v")]
    catalog.close()


def test_views_are_no_tables(tmp_path: Path) -> None:
    kinds = (("t", "TABLE"), ("v", "VIEW"), ("o", None))
    rows = [("prod", "c", name, f"s3://{name}", kind) for name, kind in kinds]
    catalog = attached(database(tmp_path, f"{V0}, iceberg_type TEXT", *rows))
    assert sorted(catalog.every_table()) == [("c", "o"), ("c", "t")]
    with pytest.raises(TableNotFound):
        catalog.pointer(("c", "v"))
    catalog.close()


def test_a_name_that_only_the_databases_comparison_finds_equal_is_another(tmp_path: Path) -> None:
    columns = V0.replace("namespace TEXT", "namespace TEXT COLLATE NOCASE").replace(
        "name TEXT,", "name TEXT COLLATE RTRIM,"
    )
    catalog = attached(database(tmp_path, columns, ("prod", "c", "t", "s3://1")))
    assert catalog.pointer(("c", "t")) == "s3://1"
    for other in (("C", "t"), ("c", "t ")):
        with pytest.raises(TableNotFound):
            catalog.pointer(other)
    catalog.close()


@pytest.mark.parametrize("row", [("prod", None, "t", "s3://1"), ("prod", "c", None, "s3://1")])
def test_a_row_without_a_name_fails_the_listing(tmp_path: Path, row: tuple[str | None, ...]) -> None:
    catalog = attached(database(tmp_path, V0, ("prod", "c", "u", "s3://1"), row))
    with pytest.raises(UpstreamFailed, match="no name"):
        list(catalog.every_table())
    catalog.close()


def test_a_row_without_a_pointer_is_the_catalogs_fault(tmp_path: Path) -> None:
    catalog = attached(database(tmp_path, V0, ("prod", "c", "t", None)))
    with pytest.raises(UpstreamFailed, match="no metadata_location"):
        catalog.pointer(("c", "t"))
    catalog.close()


def test_an_error_of_the_database_has_its_reason(tmp_path: Path) -> None:
    catalog = attached(tmp_path / "absent.db")
    with pytest.raises(UpstreamFailed, match="its database file cannot be opened"):
        catalog.pointer(("c", "t"))
    catalog.close()


def test_a_driver_that_is_not_installed_is_named() -> None:
    settings = {"type": "sql", "uri": "postgresql+lakemuster_none://u@127.0.0.1/db"}
    with pytest.raises(ConfigInvalid):
        SqlCatalog("prod", CatalogSettings.model_validate(settings))
    catalog = SqlCatalog("prod", CatalogSettings.model_validate({**settings, "uri": "oracle://u@127.0.0.1/db"}))
    with pytest.raises(UpstreamFailed, match=r"its driver \w+ is not installed"):
        catalog.pointer(("c", "t"))


def test_no_database_is_made_and_none_is_changed(tmp_path: Path) -> None:
    absent = tmp_path / "absent.db"
    catalog = attached(absent)
    with pytest.raises(UpstreamFailed):
        catalog.pointer(("c", "t"))
    assert not absent.exists()
    empty = tmp_path / "empty.db"
    sqlite3.connect(empty).close()
    empty.touch()
    catalog = attached(empty, schema_version="v1", init_catalog_tables="true")
    with pytest.raises(UpstreamFailed, match="no table iceberg_tables"):
        catalog.pointer(("c", "t"))
    assert empty.read_bytes() == b""
    old = database(tmp_path, V0, ("prod", "c", "t", "s3://1"))
    before = old.read_bytes()
    catalog = attached(old, schema_version="v1")
    assert catalog.pointer(("c", "t")) == "s3://1"
    catalog.close()
    assert old.read_bytes() == before


@pytest.mark.parametrize("place", ["user:hunter2@host:notaport", "user:p@hunter2@host", "user:p@hunter2:x@host:5432"])
def test_a_wrong_url_is_not_repeated(place: str) -> None:
    settings = CatalogSettings.model_validate({"type": "sql", "uri": f"postgresql+psycopg2://{place}/db"})
    with pytest.raises(ConfigInvalid, match="the uri of the catalog prod") as told:
        SqlCatalog("prod", settings)
    assert "hunter2" not in str(told.value)
