"""Indexing on Spark without Spark: what executors are sent, and what is believed of their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.errors import CatalogError, ConfigInvalid, IndexUnavailable
from lakemuster.index.tables import find_table
from lakemuster.ingest.engine import Manifest, Outcome
from lakemuster.ingest.opening import open_refresher
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.register import register
from lakemuster.metadata.snapshot import ManifestHeader
from lakemuster.spark.pipeline import engine, executor
from lakemuster.spark.pipeline.outcome_rows import batch_of, outcomes_of
from tests.contract.service.backends import decoders, settings

SECRET = "muster-very-secret"
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake") / "t"
    iceberg_table(folder, files=60, columns=2, manifests=6)
    return folder


class Cluster:
    """Executors in this process: parts are pickled, run and answered as rows, as Spark does it."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.change: Callable[[Rows], Rows] = list

    def run(self, spark: object, job: bytes, parts: list[bytes], words: str, watch: Callable[[int], None]) -> Rows:
        self.sent += [job, *parts]
        rows: Rows = []
        for number, part in enumerate(parts, 1):
            batch = batch_of(executor.run_part(job, part))
            rows += [tuple(row.values()) for row in batch.to_pylist()]
            watch(number)
        return self.change(rows)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cluster:
    found = Cluster()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(engine, "run_parts", found.run)
    monkeypatch.setattr(engine, "slots", lambda spark: 2)
    monkeypatch.setattr(engine, "SMALLEST_PART", 1)
    monkeypatch.setattr(executor, "decoder_pool", lambda workers, memory: decoders(memory))
    executor._tools.cache_clear()
    executor._engine.cache_clear()
    return found


@pytest.fixture
def refresher(cluster: Cluster, table: Path, tmp_path: Path) -> Iterator[Refresher]:
    of = settings(
        tmp_path / "index",
        roots=(str(table),),
        storage={"s3": {"key": "k", "secret": SECRET}},
        decoder_memory=512 * 2**20,
    )
    with closing(opened(of)) as found:
        register(found.index, found.store, "b.t", str(table), None, (), operator=False)
        yield found


def opened(of: Settings) -> Refresher:
    found = open_refresher(of)
    found.pool.close()
    found.pool = decoders(of.decoder_memory)
    found.engine = engine.SparkEngine.of(None, of, found)  # type: ignore[arg-type]
    found.pool = Kept(found.pool)  # type: ignore[assignment]
    return found


class Kept:
    """The pool of all tests, which outlives this one."""

    def __init__(self, pool: Any) -> None:
        self.submit = pool.submit

    def close(self) -> None:
        """Nothing."""


def refresh(refresher: Refresher) -> Any:
    return refresher.refresh(find_table(refresher.index.database, "b.t"))


def test_a_table_is_published_from_what_executors_made(cluster: Cluster, refresher: Refresher) -> None:
    report = refresh(refresher)
    assert (len(report.published), report.manifests_fetched, report.entries_decoded) == (1, 6, 60)
    assert len(cluster.sent) > 3


def test_nothing_secret_is_sent(cluster: Cluster, refresher: Refresher) -> None:
    refresh(refresher)
    assert SECRET in repr(refresher.store._remote.options)
    assert not any(SECRET.encode() in sent for sent in cluster.sent)


def test_a_segment_store_with_credentials_in_its_url_is_refused(refresher: Refresher, tmp_path: Path) -> None:
    of = settings(tmp_path, segments_url="ftp://user:word@host/segments")
    with pytest.raises(ConfigInvalid, match="put options into STORAGE") as refusal:
        engine.SparkEngine.of(None, of, refresher)  # type: ignore[arg-type]
    assert "word@" not in str(refusal.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[1:],
        lambda rows: [*rows, rows[0]],
        lambda rows: [("0" * 64, *rows[0][1:]), *rows[1:]],
        lambda rows: [(*rows[0][:2], None, *rows[0][3:]), *rows[1:]],
    ],
    ids=["short", "twice", "of another", "without rows"],
)
def test_an_answer_that_is_not_one_row_a_manifest_is_not_believed(
    cluster: Cluster, refresher: Refresher, change: Callable[[Rows], Rows]
) -> None:
    cluster.change = change
    with pytest.raises(IndexUnavailable):
        refresh(refresher)


def test_segments_that_are_not_in_the_store_are_not_believed(
    cluster: Cluster, refresher: Refresher, tmp_path: Path
) -> None:
    elsewhere = str(tmp_path / "elsewhere")
    assert isinstance(refresher.engine, engine.SparkEngine)
    refresher.engine = replace(refresher.engine, segments_url=elsewhere)
    with pytest.raises(ConfigInvalid, match="SEGMENTS_URL must be one place"):
        refresh(refresher)


def test_a_segment_of_another_size_is_not_believed(cluster: Cluster, refresher: Refresher) -> None:
    cluster.change = lambda rows: [(*row[:3], row[3] + 1, *row[4:]) for row in rows]
    with pytest.raises(ConfigInvalid, match="SEGMENTS_URL must be one place"):
        refresh(refresher)


def test_other_versions_on_executors_are_refused(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = executor.software()
    monkeypatch.setattr(executor, "software", lambda: (*told[:-1], ("pyarrow", "1.0")))
    with pytest.raises(ConfigInvalid, match=r"pyarrow 1\.0, not "):
        refresh(refresher)


def test_a_wrong_setting_of_executors_is_said(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKEMUSTER_STORAGES", "{}")
    with pytest.raises(ConfigInvalid, match="LAKEMUSTER_STORAGES"):
        refresh(refresher)


def test_the_driver_has_the_last_word_on_what_killed_a_decoder(cluster: Cluster, refresher: Refresher) -> None:
    died = '{"code": "decode_failed", "message": "a decoder process was killed by SIGKILL", "context": {}}'
    cluster.change = lambda rows: [(rows[0][0], 5, 0, 0, died, None), *rows[1:]]
    report = refresh(refresher)
    assert (len(report.published), report.quarantined, report.entries_decoded) == (1, (), 60)


def test_another_error_quarantines_with_its_reason(cluster: Cluster, refresher: Refresher) -> None:
    gone = '{"code": "object_missing", "message": "gone", "context": {}}'
    cluster.change = lambda rows: [(rows[0][0], None, 0, 0, gone, None), *rows[1:]]
    report = refresh(refresher)
    ((_, reason),) = report.quarantined
    assert reason.startswith("object_missing: gone (object ")
    assert report.manifests_fetched == 5


def test_storage_that_does_not_answer_fails_the_refresh_and_keeps_what_is_whole(
    cluster: Cluster, refresher: Refresher
) -> None:
    silent = '{"code": "storage_unavailable", "message": "no answer", "context": {}}'
    cluster.change = lambda rows: [(rows[0][0], None, 0, 0, silent, None), *rows[1:]]
    with pytest.raises(CatalogError, match="no answer"):
        refresh(refresher)
    cluster.change = list
    report = refresh(refresher)
    assert (len(report.published), report.manifests_fetched) == (1, 1)


def manifest(number: int, length: int | None) -> Manifest:
    return Manifest(f"{number:064}", f"/lake/{number}", ManifestHeader(f"/lake/{number}", length), "main")


def kinds(of: type[CatalogError]) -> list[type[CatalogError]]:
    return [of, *(deeper for kind in of.__subclasses__() for deeper in kinds(kind))]


def test_every_error_comes_back_as_it_was() -> None:
    manifests = [manifest(number, 1) for number, _ in enumerate(kinds(CatalogError))]
    outcomes = [
        Outcome(one, None, error=kind("a\ud800\x00 word", limit=3))
        for one, kind in zip(manifests, kinds(CatalogError), strict=True)
    ]
    rows = [tuple(row.values()) for row in batch_of(outcomes).to_pylist()]
    found = outcomes_of(rows, manifests)
    assert [(type(one.error), str(one.error)) for one in found] == [
        (type(one.error), str(one.error)) for one in outcomes
    ]
    assert [dict(one.error.context) for one in found if one.error] == [{"limit": 3}] * len(found)


@pytest.mark.parametrize("lengths", [[1], [10] * 100, [2**30] * 3, [None, 5, None], [1] * 5000])
def test_parts_hold_every_manifest_once_in_order(lengths: list[int | None]) -> None:
    manifests = [manifest(number, length) for number, length in enumerate(lengths)]
    parts = list(engine._parts(manifests, 16))
    assert [one for part in parts for one in part] == manifests
    assert all(0 < len(part) <= engine.MANIFESTS_PER_PART for part in parts)
    assert all(len(part) == 1 or sum(one.header.length or 0 for one in part) <= engine.LARGEST_PART for part in parts)
