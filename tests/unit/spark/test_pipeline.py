"""Indexing on Spark, tested without Spark: the data sent to executors, and the checks of their outcomes."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.generate import iceberg_table
from lakemuster.config import Settings
from lakemuster.errors import CatalogError, ConfigInvalid, IndexUnavailable, StorageUnavailable
from lakemuster.index.segment_store import SegmentStore
from lakemuster.index.segments import register_segments
from lakemuster.index.tables import TableRecord, find_table
from lakemuster.ingest.opening import open_refresher
from lakemuster.ingest.refresh import Refresher
from lakemuster.ingest.register import register
from lakemuster.ingest.reports import RefreshReport
from lakemuster.ingest.table_refresh import TableRefresher
from lakemuster.spark.pipeline import executor, outages, refreshes, spool
from lakemuster.spark.pipeline.job_files import JobFiles
from lakemuster.spark.pipeline.outcome_rows import SCHEMA
from lakemuster.spark.pipeline.refreshes import SparkRefreshes
from tests.contract.service.backends import decoders, settings

SECRET = "muster-very-secret"
TABLES = ("b.t", "b.u")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with six manifests; its folder also has a table ``u`` with two."""
    lake = tmp_path_factory.mktemp("lake")
    iceberg_table(lake / "t", files=60, columns=2, manifests=6)
    iceberg_table(lake / "u", files=20, columns=2, manifests=2)
    return lake / "t"


def decoded(rows: bytes) -> Rows:
    found: Rows = pa.ipc.open_stream(rows).read_all().to_pylist()
    return found


def encoded(rows: Rows) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        stream.write_table(pa.Table.from_pylist(rows, schema=SCHEMA))
    data: bytes = sink.getvalue().to_pybytes()
    return data


class Cluster:
    """Executors in this process, which run a job's parts in order when the job starts.

    Attributes:
        jobs: the number of parts of each job.
        sent: the data of jobs and parts that executors got.
        change: a function applied to the rows of the first part.
        dies_after: the number of parts after which the job fails.
    """

    def __init__(self) -> None:
        self.jobs: list[int] = []
        self.sent: list[bytes] = []
        self.change: Callable[[Rows], Rows] = list
        self.dies_after: int | None = None

    def run(self, spark: object, job: bytes, digests: list[bytes], words: str) -> Ended:
        self.jobs.append(len(digests))
        self.sent.append(job)
        answers = [executor.run_part(job, number, digest) for number, digest in enumerate(digests[: self.dies_after])]
        failure = None if self.dies_after is None else IndexUnavailable("the Spark job failed")
        return Ended([one for one in answers if one is not None], failure)

    def noted(self, write: Callable[[JobFiles, int, bytes], bytes]) -> Callable[[JobFiles, int, bytes], bytes]:
        def note(files: JobFiles, number: int, part: bytes) -> bytes:
            self.sent += [zlib.decompress(chunk) for chunk in pickle.loads(part)]
            return write(files, number, part)

        return note

    def changed(self, read: Callable[[JobFiles, int], bytes]) -> Callable[[JobFiles, int], bytes]:
        def change(files: JobFiles, number: int) -> bytes:
            rows = read(files, number)
            return encoded(self.change(decoded(rows))) if number == 0 else rows

        return change


@dataclass
class Ended:
    """A finished job."""

    answers: list[str]
    failure: CatalogError | None
    is_over: bool = True

    def wait(self, seconds: float) -> None:
        raise AssertionError("a job that is over is waited for")

    def errors(self) -> list[str]:
        if self.failure is not None:
            raise self.failure
        return self.answers

    def close(self) -> None:
        """Do nothing: the job has finished."""


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cluster:
    found = Cluster()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(refreshes, "SparkJob", found.run)
    monkeypatch.setattr(refreshes, "slots", lambda spark: 2)
    monkeypatch.setattr(JobFiles, "write_part", found.noted(JobFiles.write_part))
    monkeypatch.setattr(JobFiles, "read_outcomes", found.changed(JobFiles.read_outcomes))
    monkeypatch.setattr(executor, "decoder_pool", lambda workers, memory: decoders(memory))
    executor._store.cache_clear()
    executor._engine.cache_clear()
    return found


@pytest.fixture
def refresher(cluster: Cluster, table: Path, tmp_path: Path) -> Iterator[Refresher]:
    of = settings(
        tmp_path / "index",
        roots=(str(table.parent),),
        storage={"s3": {"key": "k", "secret": SECRET}},
        decoder_memory=512 * 2**20,
    )
    with closing(opened(of)) as found:
        for name in TABLES:
            register(found.index, found.store, name, str(table.parent / name[-1]), None, (), operator=False)
        yield found


def opened(of: Settings) -> Refresher:
    found = open_refresher(of)
    found.pool.close()
    found.pool = decoders(of.decoder_memory)
    found.many = SparkRefreshes.of(None, of, found.tables)  # type: ignore[arg-type]
    found.pool = Kept(found.pool)  # type: ignore[assignment]
    return found


class Kept:
    """A decoder pool shared by all tests, which a test must not close."""

    def __init__(self, pool: Any) -> None:
        self.submit = pool.submit

    def close(self) -> None:
        """Do nothing: the pool is shared."""


def refreshed(refresher: Refresher, *names: str) -> dict[str, RefreshReport | CatalogError]:
    tables = [find_table(refresher.index.database, name) for name in names or TABLES]
    return {table.name: outcome for table, outcome in refresher.refresh_many(tables)}


def refresh(refresher: Refresher) -> RefreshReport:
    outcome = refreshed(refresher, "b.t")["b.t"]
    if isinstance(outcome, CatalogError):
        raise outcome
    return outcome


def counts(outcome: RefreshReport | CatalogError) -> tuple[int, int, int]:
    assert isinstance(outcome, RefreshReport), outcome
    return len(outcome.published), outcome.manifests_fetched, outcome.entries_decoded


def left(refresher: Refresher) -> list[str]:
    """Return the job files that remain in the segment store."""
    return refresher.index.segments.keys("jobs")


def test_a_table_is_published_from_what_executors_made(cluster: Cluster, refresher: Refresher) -> None:
    assert counts(refresh(refresher)) == (1, 6, 60)
    assert cluster.jobs == [1]
    assert left(refresher) == []
    assert counts(refresh(refresher)) == (0, 0, 0)
    assert cluster.jobs == [1]


def test_tables_share_a_job_and_small_ones_a_part(cluster: Cluster, refresher: Refresher) -> None:
    done: dict[str, tuple[int, int]] = {}
    assert isinstance(refresher.many, SparkRefreshes)
    refresher.many.progress = lambda name, *of: done.update({name: of})
    reports = refreshed(refresher)
    assert {name: counts(report) for name, report in reports.items()} == {"b.t": (1, 6, 60), "b.u": (1, 2, 20)}
    assert cluster.jobs == [1]
    assert done == {"b.t": (6, 6), "b.u": (2, 2)}


def test_a_table_is_published_before_the_job_is_over(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MANIFESTS_PER_PART", 6)
    cluster.dies_after = 1
    outcomes = refresher.refresh_many([find_table(refresher.index.database, name) for name in TABLES])
    table, report = next(outcomes)
    assert (table.name, counts(report)) == ("b.t", (1, 6, 60))
    with pytest.raises(IndexUnavailable, match="the Spark job failed"):
        next(outcomes)
    assert cluster.jobs == [2]
    assert left(refresher) == []
    cluster.dies_after = None
    assert {name: counts(one) for name, one in refreshed(refresher).items()} == {"b.t": (0, 0, 0), "b.u": (1, 2, 20)}
    assert cluster.jobs == [2, 1]


def test_a_run_that_ends_is_resumed_without_what_is_registered(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "_CHUNK_MANIFESTS", 1)
    monkeypatch.setattr(spool, "MANIFESTS_PER_PART", 1)
    cluster.dies_after = 4
    with pytest.raises(IndexUnavailable, match="the Spark job failed"):
        refresh(refresher)
    cluster.dies_after = None
    assert counts(refresh(refresher)) == (1, 2, 20)
    assert cluster.jobs == [6, 2]


def failing_once(function: Callable[..., Any], failures: list[str]) -> Callable[..., Any]:
    """Return a function whose first call fails as in an outage."""

    def call(*values: Any, **named: Any) -> Any:
        if function.__name__ not in failures:
            failures.append(function.__name__)
            raise IndexUnavailable("no answer")
        return function(*values, **named)

    return call


def test_a_job_goes_on_after_a_short_outage(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "PAUSE_SECONDS", 0.0)
    failures: list[str] = []
    for name in ("read", "write", "keys", "size"):
        monkeypatch.setattr(SegmentStore, name, failing_once(getattr(SegmentStore, name), failures))
    monkeypatch.setattr(refreshes, "register_segments", failing_once(register_segments, failures))
    assert counts(refresh(refresher)) == (1, 6, 60)
    assert sorted(failures) == ["keys", "read", "register_segments", "size", "write"]
    assert cluster.jobs == [1]


def test_a_job_ends_after_a_long_outage(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outages, "OUTAGE_SECONDS", 0.0)
    monkeypatch.setattr(SegmentStore, "size", failing_once(SegmentStore.size, []))
    with pytest.raises(IndexUnavailable, match="no answer"):
        refresh(refresher)


def test_parts_that_listings_lack_are_read(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JobFiles, "done", lambda _: set())
    assert counts(refresh(refresher)) == (1, 6, 60)


def test_a_table_that_cannot_be_looked_at_leaves_the_others(
    cluster: Cluster, refresher: Refresher, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = sorted((table.parent / "u" / "metadata").glob("snap-*.avro"))
    load = TableRefresher.load

    def refuse(self: TableRefresher, store: Any, of: TableRecord) -> Any:
        if of.name == "b.u":
            raise StorageUnavailable("no answer")
        return load(self, store, of)

    monkeypatch.setattr(TableRefresher, "load", refuse)
    reports = refreshed(refresher)
    assert lists
    assert counts(reports["b.t"]) == (1, 6, 60)
    assert isinstance(reports["b.u"], StorageUnavailable)
    stale = find_table(refresher.index.database, "b.u").stale_reason
    assert stale == "storage_unavailable: no answer"


def test_tables_with_vended_credentials_are_decoded_here(
    cluster: Cluster, refresher: Refresher, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provided = lambda location: (lambda: ()) if location == str(table.parent / "u") else None  # noqa: E731
    monkeypatch.setattr(refresher.tables.upstreams, "credentials_provider", provided)
    reports = refreshed(refresher)
    assert {name: counts(report) for name, report in reports.items()} == {"b.t": (1, 6, 60), "b.u": (1, 2, 20)}
    assert not any(b"/u/metadata" in sent for sent in cluster.sent)
    assert any(b"/t/metadata" in sent for sent in cluster.sent)


def test_a_part_that_the_driver_did_not_write_is_not_read(
    cluster: Cluster, refresher: Refresher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JobFiles, "read_part", changed_first(JobFiles.read_part))
    with pytest.raises(IndexUnavailable, match="not the one that the driver wrote"):
        refresh(refresher)


def changed_first(read: Callable[[JobFiles, int, bytes], bytes]) -> Callable[[JobFiles, int, bytes], bytes]:
    def change(files: JobFiles, number: int, digest: bytes) -> bytes:
        files.segments.write(files._key(number, "part"), b"cos\nsystem\n(S'false'\ntR.")
        return read(files, number, digest)

    return change


def test_nothing_secret_is_sent(cluster: Cluster, refresher: Refresher) -> None:
    refresh(refresher)
    assert SECRET in repr(refresher.store._remote.options)
    assert not any(SECRET.encode() in sent for sent in cluster.sent)


def test_a_segment_store_with_credentials_in_its_url_is_refused(refresher: Refresher, tmp_path: Path) -> None:
    of = settings(tmp_path, segments_url="ftp://user:word@host/segments")
    with pytest.raises(ConfigInvalid, match="put options into STORAGE") as refusal:
        SparkRefreshes.of(None, of, refresher.tables)  # type: ignore[arg-type]
    assert "word@" not in str(refusal.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[1:],
        lambda rows: [*rows, rows[0]],
        lambda rows: [rows[0] | {"segment": "0" * 64}, *rows[1:]],
        lambda rows: [rows[0], rows[0], *rows[2:]],
        lambda rows: [rows[0] | {"rows": None}, *rows[1:]],
    ],
    ids=["short", "twice", "of another", "for another", "without rows"],
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
    assert isinstance(refresher.many, SparkRefreshes)
    refresher.many = replace(refresher.many, segments_url=elsewhere)
    with pytest.raises(ConfigInvalid, match="SEGMENTS_URL must be one place"):
        refresh(refresher)


def test_a_segment_of_another_size_is_not_believed(cluster: Cluster, refresher: Refresher) -> None:
    cluster.change = lambda rows: [row | {"bytes": row["bytes"] + 1} for row in rows]
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
    cluster.change = lambda rows: [failed(rows[0], 5, died), *rows[1:]]
    report = refresh(refresher)
    # The driver decoded the failed manifest too.
    assert (*counts(report), report.quarantined) == (1, 6, 60, ())


def test_a_manifest_that_is_gone_quarantines_its_table_s_snapshot_only(
    cluster: Cluster, refresher: Refresher, table: Path
) -> None:
    victim = sorted((table / "metadata").glob("*-m*.avro"))[1]
    data = victim.read_bytes()
    victim.unlink()
    try:
        reports = refreshed(refresher)
    finally:
        victim.write_bytes(data)
    report = reports["b.t"]
    assert counts(report) == (0, 5, 50)
    assert isinstance(report, RefreshReport)
    ((_, reason),) = report.quarantined
    assert reason.startswith("object_missing: ")
    assert counts(reports["b.u"]) == (1, 2, 20)


def failed(row: dict[str, Any], length: int | None, error: str) -> dict[str, Any]:
    return row | {"length": length, "rows": 0, "bytes": 0, "error": error, "counts": None}


def test_storage_that_does_not_answer_fails_the_refresh_and_keeps_what_is_whole(
    cluster: Cluster, refresher: Refresher
) -> None:
    silent = '{"code": "storage_unavailable", "message": "no answer", "context": {}}'
    cluster.change = lambda rows: [failed(rows[0], None, silent), *rows[1:]]
    reports = refreshed(refresher)
    assert isinstance(reports["b.t"], StorageUnavailable)
    assert counts(reports["b.u"]) == (1, 2, 20)
    cluster.change = list
    assert counts(refresh(refresher)) == (1, 1, 10)
