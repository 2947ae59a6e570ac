"""The demo lake is five real tables that their writers' own clients read, wherever it is unpacked."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable

import lakemuster.demo
from lakemuster.demo import RECORDED_ROOT, unpack
from lakemuster.errors import StorageUnavailable
from lakemuster.ingest.discover import find_tables
from lakemuster.storage.store import ObjectStore

PAIMON_ROWS = """
from pypaimon import CatalogFactory

def main(warehouse, name):
    builder = CatalogFactory.create({"warehouse": warehouse}).get_table(name).new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits()).num_rows
"""


@pytest.fixture
def lake(tmp_path):
    folder, _ = unpack(tmp_path / "deep" / "lake")
    return folder


def test_discovery_finds_five_tables_of_both_formats(lake):
    found = {(table.format, ".".join(table.levels)) for table in find_tables(ObjectStore([str(lake)], {}), str(lake))}
    assert found == {
        ("iceberg", "shop.db.customers"),
        ("iceberg", "shop.db.orders"),
        ("iceberg", "web.db.events"),
        ("paimon", "shop.db.stock"),
        ("paimon", "web.db.clicks"),
    }


@pytest.mark.parametrize(
    ("table", "rows"), [("shop.db/orders", 466), ("shop.db/customers", 199), ("web.db/events", 320)]
)
def test_pyiceberg_reads_every_row_through_the_rewrite(lake, table, rows):
    newest = max((lake / table / "metadata").glob("*.metadata.json"))
    static = StaticTable.from_metadata(
        RECORDED_ROOT + str(newest).removeprefix(str(lake)),
        {"py-io-impl": "scripts.make_demo_lake.DemoIO", "demo.folder": str(lake)},
    )
    assert static.location() == f"{RECORDED_ROOT}/{table}"
    assert static.scan().to_arrow().num_rows == rows


@pytest.mark.parametrize(("name", "rows"), [("shop.stock", 358), ("web.clicks", 750)])
def test_pypaimon_reads_every_row(lake, run_pypaimon, name, rows):
    assert run_pypaimon(PAIMON_ROWS, warehouse=str(lake), name=name) == rows


def test_a_second_unpacking_changes_nothing(lake):
    (lake / "mine").write_text("kept")
    folder, rewrites = unpack(lake)
    assert folder == lake
    assert rewrites == ((RECORDED_ROOT, str(lake)),)
    assert (lake / "mine").exists()


def test_a_lake_of_another_version_or_half_a_lake_is_replaced(lake):
    (lake / ".unpacked").write_text("another archive's digest")
    (lake / "stale").write_text("gone")
    unpack(lake)
    assert not (lake / "stale").exists()
    assert [path.name for path in lake.parent.iterdir()] == ["lake"]


def test_a_folder_that_cannot_be_written_is_an_error_of_ours(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageUnavailable, match="demo lake"):
        unpack(tmp_path / "file" / "lake")


def test_a_relative_folder_is_made_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, rewrites = unpack(Path("lake"))
    assert folder == tmp_path / "lake"
    assert rewrites == ((RECORDED_ROOT, str(tmp_path / "lake")),)


def test_the_archive_is_small():
    archive = Path(lakemuster.demo.__file__).with_name("lake.zip")
    assert archive.stat().st_size < 500_000
    assert zipfile.ZipFile(archive).testzip() is None
