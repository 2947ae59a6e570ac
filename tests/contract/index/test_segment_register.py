"""The register of segments and the sweep, on every database."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pytest

from lakemuster.catalog.recent_plans import RecentPlans
from lakemuster.index.database import Database
from lakemuster.index.segments import SegmentInfo, SegmentStore, known_segments, register_segments, sweep, write_segment
from lakemuster.index.signing import signing_key
from lakemuster.index.tables import remove_table
from lakemuster.spark.pipeline.job_files import JobFiles
from tests.contract.index import made


@pytest.fixture
def store(tmp_path: Path) -> SegmentStore:
    return SegmentStore(str(tmp_path / "segments"))


def put(store: SegmentStore, name: str, *, age_seconds: float = 3600) -> None:
    write_segment(pa.table({"a": [1]}), store.workspace / name)
    store.put(name, store.workspace / name)
    for file in store.files():
        if file.name == name:
            moment = time.time() - age_seconds
            os.utime(store.workspace.parent / file.key, (moment, moment))


def names(store: SegmentStore) -> set[str | None]:
    return {file.name for file in store.files()}


def test_registered_segments_are_known(database: Database) -> None:
    infos = made.segments(made.published(range(3)))
    for _ in range(2):
        with database.session() as session:
            register_segments(session, infos)
    asked = [info.name for info in infos] + ["other"] + [f"n{number}" for number in range(10_000)]
    with database.reading() as session:
        assert known_segments(session, asked) == {info.name for info in infos}
        assert known_segments(session, []) == set()


def test_a_sweep_deletes_unreferenced_segments(database: Database, store: SegmentStore) -> None:
    listed = made.published([1, 2, 3])
    for number in (1, 2):
        table_id = made.table(database, f"t{number}", of=made.metadata([made.snapshot(1)]))
        made.show(database, table_id, 1, listed[:number])
    with database.session() as session:
        register_segments(session, made.segments(listed))
    for one in listed:
        put(store, one.segment)
    put(store, "ff" + "0" * 62)
    first = sweep(database, store, grace_seconds=0)
    assert (first.unregistered, first.files) == (1, 2)
    assert names(store) == {listed[0].segment, listed[1].segment}
    with database.session() as session:
        remove_table(session, "t2")
    assert sweep(database, store, grace_seconds=0).files == 1
    assert names(store) == {listed[0].segment}
    assert store.open(listed[0].segment).num_rows == 1


def test_a_sweep_spares_young_segments(database: Database, store: SegmentStore) -> None:
    (one,) = made.published([1])
    with database.session() as session:
        register_segments(session, made.segments([one]))
    put(store, one.segment)
    put(store, "ff" + "0" * 62, age_seconds=5)
    assert sweep(database, store, grace_seconds=60).files == 0
    assert len(names(store)) == 2


def test_a_sweep_deletes_old_leftovers(database: Database, store: SegmentStore) -> None:
    (store.workspace / "x.1-2.part").write_bytes(b"half")
    os.utime(store.workspace / "x.1-2.part", (5, 5))
    (store.workspace / "y.1-2.part").write_bytes(b"half")
    assert sweep(database, store, grace_seconds=60).files == 1
    assert [path.name for path in store.workspace.iterdir()] == ["y.1-2.part"]


def test_a_sweep_deletes_the_folders_of_refreshes_that_were_killed(database: Database, store: SegmentStore) -> None:
    for name, age in (("crawl-full", 5), ("crawl-empty", 5), ("crawl-young", None)):
        folder = store.workspace / name
        folder.mkdir()
        if name != "crawl-empty":
            for number in range(2):
                (folder / str(number)).write_bytes(b"half")
        if age is not None:
            for path in [*folder.iterdir(), folder]:
                os.utime(path, (age, age))
    swept = sweep(database, store, grace_seconds=60)
    assert swept.files == 3
    assert [path.name for path in store.workspace.iterdir()] == ["crawl-young"]
    assert len(list((store.workspace / "crawl-young").iterdir())) == 2


def test_a_sweep_deletes_nothing_that_others_wrote(database: Database, store: SegmentStore, tmp_path: Path) -> None:
    root = store.workspace.parent
    others = (
        "index.db",
        "ns/orders/metadata/snap-1.avro",
        "db/part-0.arrow",
        "ab/ab.arrow",
        "ab/cd" + "0" * 62 + ".arrow",
        "tmp/upload.csv",
        "jobs/2024/report.csv",
        "recent-plans/notes.json",
        ".lakemuster/index.db",
    )
    own = (
        "ff/ff" + "0" * 62 + ".arrow",
        "ff/ff" + "0" * 62 + ".arrow.12-34.part",
        "tmp/ff" + "0" * 62 + f"-{uuid4().hex}.arrow",
        "tmp/crawl-x/7.arrow",
        "tmp/verify-x/7.arrow",
        f"tmp/{uuid4().hex}",
        RecentPlans()._key,
        JobFiles(store, uuid4().hex)._key(3, "part"),
        JobFiles(store, uuid4().hex)._key(3, "done"),
    )
    for key in (*others, *own):
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(b"x")
        os.utime(root / key, (5, 5))
    assert sweep(database, store, grace_seconds=60).files == len(own)
    assert {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()} == set(others)


def test_a_segment_may_be_registered_with_any_manifest_location(database: Database) -> None:
    with database.session() as session:
        register_segments(session, [SegmentInfo("n", made.NASTY * 1000, 2**62, 0, 0)])
    with database.reading() as session:
        assert known_segments(session, ["n"]) == {"n"}


def test_a_database_has_one_signing_key(database: Database) -> None:
    with database.session() as session:
        key = signing_key(session)
    assert len(key) == 32
    with database.session() as session:
        assert signing_key(session) == key
    with database.reading() as session:
        assert signing_key(session) == key
