"""The demo lake consists of real tables that PyIceberg and pypaimon read wherever it is unpacked."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import fastavro
import pyarrow.parquet as pq
import pytest
from pyiceberg.table import StaticTable

import lakemuster.demo
from lakemuster.demo import RECORDED_ROOT, is_unpacked, unpack
from lakemuster.errors import StorageUnavailable
from lakemuster.ingest.discover import Found, find_tables
from lakemuster.storage.store import ObjectStore

PAIMON_ROWS = """
from pypaimon import CatalogFactory

def main(warehouse, name):
    builder = CatalogFactory.create({"warehouse": warehouse}).get_table(name).new_read_builder()
    return builder.new_read().to_arrow(builder.new_scan().plan().splits()).num_rows
"""


@pytest.fixture
def lake(tmp_path):
    return unpack(tmp_path / "a lake é %20" / "lake")


def test_discovery_finds_the_tables_of_both_formats(lake):
    found = {
        (table.format, ".".join(table.levels))
        for table in find_tables(ObjectStore([str(lake)], {}), str(lake))
        if isinstance(table, Found)
    }
    assert found == {
        ("iceberg", "shop.db.customers"),
        ("iceberg", "shop.db.orders"),
        ("iceberg", "shop.db.returns"),
        ("iceberg", "web.db.events"),
        ("iceberg", "web.db.sessions"),
        ("paimon", "shop.db.prices"),
        ("paimon", "shop.db.stock"),
        ("paimon", "web.db.clicks"),
    }


def newest_metadata(folder):
    return max((folder / "metadata").glob("*.metadata.json"))


@pytest.mark.parametrize(
    ("table", "rows"),
    [("shop.db/orders", 466), ("shop.db/customers", 199), ("web.db/events", 320), ("web.db/sessions", 600)],
)
def test_pyiceberg_reads_every_row_and_inspects_by_the_metadata_alone(lake, table, rows):
    static = StaticTable.from_metadata(f"file://{newest_metadata(lake / table)}")
    assert static.location() == f"file://{lake}/{table}"
    assert static.scan().to_arrow().num_rows == rows
    assert sum(static.inspect.partitions().column("record_count").to_pylist()) == rows
    if table != "shop.db/customers":  # PyIceberg 0.12 cannot list bounds of UUIDs
        assert sum(static.inspect.files().column("record_count").to_pylist()) == rows
    assert static.inspect.all_manifests().num_rows


def test_pyiceberg_applies_the_delete_files(lake):
    static = StaticTable.from_metadata(f"file://{newest_metadata(lake / 'shop.db/returns')}")
    assert static.scan().to_arrow().num_rows == 126  # two files delete one row


def test_all_metadata_names_the_folder_and_the_right_sizes(lake):
    sizes, named, deletes = {}, set(), {}
    for path in lake.rglob("*.avro"):
        with path.open("rb") as file:
            records = list(fastavro.reader(file))
        assert RECORDED_ROOT not in json.dumps(records, default=repr)
        files = [record["data_file"] for record in records if "data_file" in record]
        named |= {file["file_path"] for file in files}
        deletes |= {file["file_path"]: file["file_size_in_bytes"] for file in files if file["content"]}
        sizes |= {r["manifest_path"]: r["manifest_length"] for r in records if "manifest_path" in r}
    assert len(sizes) > 20
    manifests = {Path(path.removeprefix("file://")): size for path, size in sizes.items()}
    [lost] = [path for path in manifests if not path.exists()]  # the demo's missing manifest
    assert all(path.stat().st_size == size for path, size in manifests.items() if path != lost)
    assert len(deletes) == 5
    for place, size in deletes.items():
        path = Path(place.removeprefix("file://"))
        assert path.stat().st_size == size
        assert set(pq.read_table(path).column("file_path").to_pylist()) <= named - set(deletes)
    assert len(named) > 30
    assert all(path.startswith(f"file://{lake}/") and Path(path.removeprefix("file://")).exists() for path in named)
    for path in lake.rglob("*.metadata.json"):
        assert RECORDED_ROOT not in path.read_text("utf-8")


def test_relocated_avro_keeps_schema_codec_and_header(lake, tmp_path):
    archive = zipfile.ZipFile(Path(lakemuster.demo.__file__).with_name("lake.zip"))
    for path in lake.rglob("*.avro"):
        recorded = fastavro.reader(io.BytesIO(archive.read(path.relative_to(lake).as_posix())))
        with path.open("rb") as file:
            assert fastavro.reader(file).metadata == recorded.metadata


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rows"), [("shop.stock", 358), ("shop.prices", 297), ("web.clicks", 750)])
def test_pypaimon_reads_every_row(lake, run_pypaimon, name, rows):
    assert run_pypaimon(PAIMON_ROWS, warehouse=str(lake), name=name) == rows


def test_a_second_unpacking_changes_nothing(lake):
    (lake / "mine").write_text("kept")
    assert is_unpacked(lake)
    assert unpack(lake) == lake
    assert (lake / "mine").exists()


def test_a_lake_that_was_moved_is_unpacked_again(lake):
    moved = lake.rename(lake.with_name("moved"))
    assert not is_unpacked(moved)
    unpack(moved)
    assert f"file://{moved}/" in newest_metadata(moved / "web.db" / "events").read_text("utf-8")


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
    assert unpack(Path("lake")) == tmp_path / "lake"
    assert f'"location":"file://{tmp_path}/lake/' in newest_metadata(tmp_path / "lake/web.db/events").read_text("utf-8")


def test_the_archive_is_small():
    archive = Path(lakemuster.demo.__file__).with_name("lake.zip")
    assert archive.stat().st_size < 550_000
    assert zipfile.ZipFile(archive).testzip() is None
