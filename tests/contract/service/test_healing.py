"""A request that finds a segment lost or damaged decodes it again, on each database and store."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from benchmarks.generate import iceberg_table
from lakemuster.catalog.services import Services
from lakemuster.config import Settings
from lakemuster.errors import SegmentCorrupt
from lakemuster.index.database import Database
from lakemuster.index.segment_store import SegmentStore
from lakemuster.ingest.engine import LocalEngine
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.packing import pack_every

ICEBERG = "iceberg.equality_deletes.warehouse.mydb.mytable_partitioned"
PAIMON = "paimon.pk_table_with_alter_table.pk_table_with_alter_table"
SOURCES = ("iceberg/equality_deletes", "paimon/parquet/pk_table_with_alter_table.db")
Row = dict[str, Any]
Bytes = Callable[[bytes], bytes | None]


@dataclass(frozen=True)
class Place:
    """A lake, settings of services over it, and access to the segments in the store."""

    lake: Path
    settings: Settings
    segments: Callable[[], dict[str, bytes]]
    write: Callable[[str, bytes | None], None]

    def harm(self, way: Bytes) -> int:
        """Damage every segment in the store; return their number."""
        found = self.segments()
        for key, data in found.items():
            self.write(key, way(data))
        return len(found)

    def forget_copies(self) -> None:
        shutil.rmtree(self.settings.cache_dir, ignore_errors=True)


@pytest.fixture(params=["local files, SQLite", "S3, PostgreSQL"])
def place(request: pytest.FixtureRequest, lakes: Path, tmp_path: Path) -> Place:
    is_local = request.param.startswith("local")
    database_url = f"sqlite:///{tmp_path}/index.db"
    if not is_local:
        database_url = request.getfixturevalue("postgres_url")
        Database(database_url).migrate()
    lake = tmp_path / "lake"
    for source in SOURCES:
        target = lake / source.removesuffix(".db").replace("paimon/parquet", "paimon")
        shutil.copytree(lakes / source, target, copy_function=shutil.copyfile)
    changes: dict[str, Any] = {"database_url": database_url, "roots": (str(lake),), "max_staleness": 3600.0}
    if is_local:
        root = tmp_path / "segments"

        def write(key: str, data: bytes | None) -> None:
            (root / key).unlink()
            if data is not None:
                (root / key).write_bytes(data)

        def segments() -> dict[str, bytes]:
            return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.glob("??/*.arrow"))}

        return Place(lake, settings(tmp_path, **changes), segments, write)
    s3 = request.getfixturevalue("s3_server")

    def objects() -> dict[str, bytes]:
        listed = s3.client.list_objects_v2(Bucket=s3.bucket, Prefix="segments/").get("Contents", [])
        return {one["Key"]: s3.client.get_object(Bucket=s3.bucket, Key=one["Key"])["Body"].read() for one in listed}

    def put(key: str, data: bytes | None) -> None:
        if data is None:
            s3.client.delete_object(Bucket=s3.bucket, Key=key)
        else:
            s3.put(key, data)

    changes |= {"storage": s3.storage, "segments_url": f"{s3.url}/segments"}
    return Place(lake, settings(tmp_path, **changes), objects, put)


def flipped(seed: int) -> Bytes:
    """Return a function that flips a random bit of a file."""

    def flip(data: bytes) -> bytes:
        at = random.Random(seed).randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << seed % 8]) + data[at + 1 :]

    return flip


WAYS: dict[str, Bytes] = {
    "lost": lambda data: None,
    "truncated": lambda data: data[: len(data) * 2 // 3],
    "zeros": lambda data: data[: len(data) // 4] + bytes(len(data) // 2) + data[len(data) // 4 + len(data) // 2 :],
    **{f"flip {seed}": flipped(seed) for seed in range(2)},
}


def register(services: Services, place: Place) -> None:
    rules = (("data/persistent", str(place.lake / "iceberg")),)
    found = {one.name: one for one in services.discover(str(place.lake), None, rules, operator=True)}
    assert {ICEBERG, PAIMON} <= set(found), found


def answers(services: Services, size: int = 1000) -> Row:
    """Return the responses to requests of each kind; those of another page size are not in a cache of responses."""
    http = TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)
    found: Row = {}
    for name in (ICEBERG, PAIMON):
        base, filtered = f"/api/v1/tables/{name}", "a > 0" if name == ICEBERG else None
        for path in ("files?stats=*", "entries?", "partitions?", "manifests?", "indexes?"):
            found[f"{name} {path}"] = http.get(f"{base}/{path}&page_size={size}")
        found[f"{name} stream"] = http.get(f"{base}/files", headers={"Accept": "application/x-ndjson"})
        found[f"{name} plan"] = http.post(f"{base}/plan", json={"filter": filtered, "page_size": size})
        found[f"{name} explain"] = http.post(f"{base}/explain", json={})
    assert {name: answer.text for name, answer in found.items() if answer.status_code >= 500} == {}
    return {name: answer.text for name, answer in found.items()}


LOCAL, REMOTE = "local files, SQLite", "S3, PostgreSQL"


@pytest.mark.parametrize(
    ("place", "way"),
    [*((LOCAL, way) for way in WAYS), (REMOTE, "lost"), (REMOTE, "zeros")],
    indirect=["place"],
)
def test_requests_succeed_when_segments_are_lost_or_damaged(place: Place, way: str) -> None:
    with catalog(place.settings) as services:
        register(services, place)
        expected = answers(services)
        whole = place.segments()
    assert place.harm(WAYS[way]) == len(whole) > 4
    place.forget_copies()
    with catalog(place.settings) as services:
        assert answers(services) == expected
        totals = services.refresher.totals
        assert totals.manifests_fetched == 0
        assert totals.segments_repaired == totals.segments_lost + totals.segments_damaged
        assert (totals.segments_lost > 0) == (way == "lost")
        if not way.startswith("flip"):  # a flip of a column that nobody asked for is left to verify
            assert totals.segments_repaired > 0
        harmed = {key: WAYS[way](data) for key, data in whole.items()}
        repaired = {key: data for key, data in place.segments().items() if data != harmed[key]}
        assert repaired.items() <= whole.items()
        assert len(repaired) == totals.segments_repaired
    with catalog(place.settings) as services:
        assert answers(services) == expected
        if not way.startswith("flip"):
            assert services.refresher.totals.segments_repaired == 0


@pytest.mark.parametrize("place", ["S3, PostgreSQL"], indirect=True)
def test_a_damaged_local_copy_is_fetched_again_and_nothing_is_decoded(place: Place) -> None:
    with catalog(place.settings) as services:
        register(services, place)
        expected = answers(services)
    copies = Path(place.settings.cache_dir)
    for number, path in enumerate(sorted(copies.glob("??/*.arrow"))):
        way = list(WAYS.values())[number % len(WAYS)]
        data = way(path.read_bytes())
        path.unlink()
        if data is not None:
            path.write_bytes(data)
    with catalog(place.settings) as services:
        assert answers(services) == expected
        assert services.refresher.totals.segments_repaired == 0


def test_a_segment_that_is_cut_short_while_it_is_mapped_is_repaired(place: Place) -> None:
    if place.settings.segments_url.startswith("s3"):
        folder = Path(place.settings.cache_dir)
    else:
        folder = Path(place.settings.segments_url)
    with catalog(place.settings) as services:
        register(services, place)
        expected = answers(services)
        for path in folder.glob("??/*.arrow"):
            with path.open("r+b") as file:
                file.truncate(100)
        assert answers(services) == expected


@pytest.mark.parametrize("way", ["truncated", "zeros"])
def test_a_segment_that_is_overwritten_while_it_is_mapped_is_repaired(place: Place, way: str) -> None:
    local = place.settings.cache_dir if place.settings.segments_url.startswith("s3") else place.settings.segments_url
    with catalog(place.settings) as services:
        register(services, place)
        expected = answers(services, 500)
    with catalog(place.settings) as services:
        for size in (300, 301, 400):  # pages and writers are cached at the second request
            answers(services, size)
        for path in Path(local).glob("??/*.arrow"):
            data = path.read_bytes()
            with path.open("r+b") as file:
                file.write(WAYS[way](data) or b"")
                file.truncate()
        assert answers(services, 500) == expected
        assert answers(services, 500) == expected


def test_concurrent_requests_repair_each_segment_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with catalog(place.settings) as services:
        register(services, place)
        expected = answers(services)
    place.harm(WAYS["lost"])
    place.forget_copies()
    made: list[str] = []
    of = LocalEngine.make_segments

    def noted(engine: LocalEngine, store: Any, metadata: Any, manifests: Any, progress: Any) -> Any:
        made.extend(one.segment for one in manifests)
        return of(engine, store, metadata, manifests, progress)

    monkeypatch.setattr(LocalEngine, "make_segments", noted)
    # Two services stand for two processes: each has its own threads, and they share only the database.
    with catalog(place.settings) as one, catalog(place.settings) as other:
        barrier = threading.Barrier(8)

        def ask(services: Services) -> Row:
            barrier.wait()
            return answers(services)

        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(ask, [one, other] * 4))
    assert found == [expected] * 8
    assert made
    assert sorted(made) == sorted(set(made))


def test_without_segment_and_manifest_the_error_names_the_manifest(place: Place) -> None:
    with catalog(place.settings) as services:
        register(services, place)
        answers(services)
    for way, word in (("lost", "lost"), ("truncated", "damaged")):
        place.harm(WAYS[way])
        place.forget_copies()
        hidden = place.lake.with_name("hidden")
        place.lake.rename(hidden)
        try:
            with catalog(place.settings) as services:
                http = TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)
                for name in (ICEBERG, PAIMON):
                    answer = http.get(f"/api/v1/tables/{name}/files")
                    assert answer.status_code in (502, 503), answer.text
                    assert f"a segment of the index is {word}, and its manifest" in answer.text
                    assert "/lake/" in answer.text
        finally:
            hidden.rename(place.lake)
        with catalog(place.settings) as services:
            answers(services)


@pytest.mark.parametrize("way", ["lost", "truncated", "zeros"])
def test_packed_segments_are_packed_again(tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pack_every(monkeypatch, 10, small=25)
    iceberg_table(tmp_path / "lake" / "t", files=600, columns=4, manifests=60, level=1)
    of = settings(tmp_path, roots=(str(tmp_path / "lake"),), max_staleness=3600.0)

    def plan(services: Services) -> str:
        http = TestClient(create_app(services), base_url="http://127.0.0.1:8181")
        answer = http.post("/api/v1/tables/p.t/plan", json={"filter": "id >= 4000", "page_size": 1000})
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    with catalog(of) as services:
        services.add("p.t", str(tmp_path / "lake" / "t"), None, (), operator=True)
        root = tmp_path / "segments"
        services.refresh("p.t")
        expected = plan(services)
    files = {path: path.read_bytes() for path in root.glob("??/*.arrow")}
    assert len(files) > 60
    for path, data in files.items():
        path.unlink()
        if (changed := WAYS[way](data)) is not None:
            path.write_bytes(changed)
    with catalog(of) as services:
        assert plan(services) == expected
        assert services.refresher.totals.segments_repaired > 0
        assert {path.stem for path in root.glob("??/*.arrow")} <= {path.stem for path in files}


def test_a_segment_without_a_manifest_is_an_error_and_is_dropped(tmp_path: Path) -> None:
    with catalog(settings(tmp_path)) as services, pytest.raises(SegmentCorrupt, match="its manifests are not known"):
        services.index.segments.open("0" * 64)


def test_a_failed_repair_is_shared_and_not_tried_again_at_once(tmp_path: Path) -> None:
    store = SegmentStore(str(tmp_path / "segments"))
    tried: list[str] = []
    begun, go = threading.Event(), threading.Event()

    def repair(name: str, damage: SegmentCorrupt) -> None:
        tried.append(name)
        begun.set()
        go.wait(30)
        raise SegmentCorrupt("beyond repair", segment=name)

    store.repair = repair
    errors: list[str] = []

    def open_it() -> None:
        with pytest.raises(SegmentCorrupt) as caught:
            store.open("0" * 64)
        errors.append(caught.value.message)

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    assert begun.wait(30)
    go.set()
    for thread in threads:
        thread.join()
    open_it()
    assert errors == ["beyond repair"] * 7
    assert tried == ["0" * 64]
