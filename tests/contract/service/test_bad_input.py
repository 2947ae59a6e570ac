"""Broken, hostile or missing metadata is quarantined with a reason, and affects nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.catalog.services import Services
from lakemuster.errors import SnapshotQuarantined
from lakemuster.planner.lists import snapshot_lists as lists
from lakemuster.planner.view import Selector
from tests.contract.service.backends import catalog, rows, settings
from tests.contract.service.hostile import bombs


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    warehouse = tmp_path / "lake"
    iceberg = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{warehouse}")
    iceberg.create_namespace("db")
    data = pa.table({"id": pa.array(range(10), pa.int64()), "name": pa.array(["x" * i for i in range(10)])})
    for name in ("broken", "whole"):
        table = iceberg.create_table(f"db.{name}", data.schema)
        for _ in range(3):
            table.append(data)
    return warehouse


@pytest.fixture
def services(tmp_path: Path, lake: Path) -> Iterator[Services]:
    with catalog(settings(tmp_path, roots=(str(lake),), decoder_memory=512 * 2**20)) as opened:
        for name in ("broken", "whole"):
            opened.add(f"db.{name}", f"{lake}/db/{name}", None, ())
        yield opened


def newest(lake: Path, pattern: str) -> Path:
    return max((lake / "db" / "broken" / "metadata").glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def truncated(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def flipped(data: bytes) -> bytes:
    # Flip a bit in the final sync marker, which Avro readers detect.
    return data[:-3] + bytes([data[-3] ^ 0x40]) + data[-2:]


def headless(data: bytes) -> bytes:
    return b"Obj\x02" + data[4:]


def replaced(bomb: bytes, data: bytes) -> bytes:
    return bomb


BREAKS: dict[str, Callable[[bytes], bytes | None]] = {
    "truncated": truncated,
    "flipped": flipped,
    "not avro": headless,
    "empty": lambda data: b"",
    "vanished": lambda data: None,
    **{name: partial(replaced, bomb) for name, bomb in bombs().items()},
}


@pytest.mark.parametrize("victim", ["snap-*.avro", "*-m0.avro"])
@pytest.mark.parametrize("way", BREAKS)
def test_a_broken_object_quarantines_its_snapshot_only(services: Services, lake: Path, victim: str, way: str) -> None:
    path = newest(lake, victim)
    changed = BREAKS[way](path.read_bytes())
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    report = services.refresh("db.broken")
    _, records, stale = services.snapshots("db.broken")
    assert [record.state for record in records] == ["published", "published", "quarantined"]
    assert [snapshot_id for snapshot_id, _ in report.quarantined] == [str(records[2].snapshot.snapshot_id)]
    assert records[2].error
    # Pinned: an error. Not pinned: the last good snapshot, marked stale. Older snapshots, other tables: unaffected.
    with pytest.raises(SnapshotQuarantined, match="cannot be read"):
        services.view("db.broken", Selector(snapshot_id=records[2].snapshot.snapshot_id))
    current = services.view("db.broken")
    assert current.snapshot_id == records[1].snapshot.snapshot_id
    assert current.stale
    assert len(rows(lists.files(services.index, current))) == 2
    first = services.view("db.broken", Selector(snapshot_id=records[0].snapshot.snapshot_id))
    assert len(rows(lists.files(services.index, first))) == 1
    assert len(rows(lists.files(services.index, services.view("db.whole")))) == 3
    assert stale


def test_a_repaired_object_is_published_by_the_next_refresh(services: Services, lake: Path) -> None:
    path = newest(lake, "*-m0.avro")
    good = path.read_bytes()
    path.write_bytes(truncated(good))
    assert services.refresh("db.broken").quarantined
    path.write_bytes(good)
    assert len(services.refresh("db.broken").published) == 1
    view = services.view("db.broken")
    assert view.stale is None
    assert len(rows(lists.files(services.index, view))) == 3


def test_with_broken_table_metadata_the_last_state_is_served(services: Services, lake: Path) -> None:
    services.refresh("db.broken")
    path = newest(lake, "*.metadata.json")
    later = path.with_name("00099-" + path.name.split("-", 1)[1])
    later.write_bytes(path.read_bytes()[:-40])
    view = services.view("db.broken")
    assert view.stale is not None
    assert "metadata_corrupt" in view.stale
    assert view.stale.count(str(later)) == 1
    assert len(rows(lists.files(services.index, view))) == 3


def test_metadata_that_points_outside_the_roots_is_quarantined(services: Services, lake: Path) -> None:
    path = newest(lake, "*.metadata.json")
    text = path.read_text()
    list_name = newest(lake, "snap-*.avro").name
    planted = text.replace(f"file://{lake}/db/broken/metadata/{list_name}", "file:///etc/passwd")
    assert planted != text
    path.write_text(planted)
    report = services.refresh("db.broken")
    assert len(report.published) == 2
    assert "location_refused" in report.quarantined[0][1]


@pytest.mark.parametrize("seed", range(30))
def test_random_bit_flips_never_shorten_a_list(services: Services, lake: Path, seed: int) -> None:
    """Avro has no checksum: a flip may decode to other values, but never to fewer entries."""
    random_bits = random.Random(seed)
    path = newest(lake, random_bits.choice(["snap-*.avro", "*-m0.avro"]))
    data = bytearray(path.read_bytes())
    for _ in range(random_bits.randint(1, 4)):
        data[random_bits.randrange(len(data))] ^= 1 << random_bits.randrange(8)
    path.write_bytes(bytes(data))
    services.refresh("db.broken")
    view = services.view("db.broken")
    expected = {0: 3}.get(0 if view.stale is None else 1, 2)
    assert len(rows(lists.files(services.index, view))) == expected
    assert len(rows(lists.files(services.index, services.view("db.whole")))) == 3
