"""``lakemuster bench-here`` reports what it wrote: PyIceberg reads the same table, and the files have as many bytes."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from pyiceberg.table import StaticTable

from lakemuster.cli.bench_here import REFERENCE, figures
from tests.journey.servers import environment, lakemuster

pytest_plugins = ["tests.storage_servers"]

ENTRIES = 2_150
TINY = ("--entries", str(ENTRIES), "--seconds", "1")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The folder in which a run left its table and index, and the run's report."""
    folder = tmp_path_factory.mktemp("bench")
    done = lakemuster(folder, "bench-here", str(folder), *TINY, "--keep", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (made,) = folder.iterdir()
    found = json.loads(done.stdout)
    assert found["location"] == str(made)
    return made, found


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_counts_are_those_of_the_table_that_it_wrote(kept):
    folder, found = kept
    table = StaticTable.from_metadata(str(folder / "table" / "metadata" / "v2.metadata.json"))
    manifests = table.current_snapshot().manifests(table.io)
    entries = sum(manifest.added_files_count for manifest in manifests)
    # The run may end after one second before all manifests are written, but not before the second one.
    assert entries in (2_100, ENTRIES)
    assert entries == sum(len(manifest.fetch_manifest_entry(table.io)) for manifest in manifests)
    assert (found["table"]["entries"], found["table"]["manifests"]) == (entries, len(manifests))
    assert found["table"]["metadata_bytes"] >= size(folder / "table")
    assert found["index"]["all_entries"] == entries
    assert found["index"]["entries"] == entries - 100  # the first commit warms up
    for case in found["plans"]:
        scan = table.scan(row_filter=case["filter"]) if case["filter"] else table.scan()
        assert case["files"] == len({task.file.file_path for task in scan.plan_files()}), case
    assert {case["files"] for case in found["plans"]} >= {10, 100, entries}


def test_bytes_are_those_on_disk(kept):
    folder, found = kept
    index = found["index"]
    assert index["segment_bytes"] == size(folder / "segments") > 0
    assert index["database_bytes"] == sum(path.stat().st_size for path in folder.glob("index.db*")) > 0
    assert index["segment_bytes_per_entry"] == round(index["segment_bytes"] / index["all_entries"], 2)
    grown = index["database_bytes"] - index["empty_database_bytes"]
    assert index["database_bytes_per_entry"] == round(grown / index["all_entries"], 2) >= 0
    with sqlite3.connect(f"file:{folder / 'index.db'}?mode=ro", uri=True) as database:
        assert database.execute("SELECT name FROM catalog_table").fetchall() == [("bench.here",)]
    database.close()


def test_rates_follow_from_times(kept):
    _, found = kept
    index = found["index"]
    assert index["entries_per_second"] == pytest.approx(index["entries"] / index["seconds"], rel=0.05)
    assert index["entries_per_cpu_second"] == pytest.approx(index["entries"] / index["cpu_seconds"], rel=0.05)
    waits = [*found["plans"], found["flush"]]
    assert all(0 < one["p50_ms"] <= one["p99_ms"] and one["count"] >= 3 and one["per_second"] > 0 for one in waits)
    assert found["memory"]["process_bytes"] > 50 * 2**20
    assert found["memory"]["decoder_bytes"] > 50 * 2**20
    assert found["storage"] is None


def test_every_figure_has_one_of_the_documentations_machine(kept):
    _, found = kept
    assert set(figures(found)) == set(REFERENCE)
    assert found["reference"] == dict(REFERENCE)


def test_it_leaves_nothing_and_shows_both_figures(tmp_path):
    (tmp_path / "disk").mkdir()
    done = lakemuster(tmp_path, "bench-here", "disk", *TINY)
    assert (done.returncode, done.stderr) == (0, "")
    about, head, *lines = done.stdout.splitlines()
    assert "processors" in about
    assert "entries in" in about
    assert head.split("\t") == ["figure", "here", "reference"]
    assert len(lines) > 15
    assert all(float(cell.replace(",", "")) >= 0 for line in lines for cell in line.split("\t")[1:])
    assert [path.name for path in tmp_path.rglob("*")] == ["disk"]  # no index of its own either


def test_below_the_url_of_an_object_store_it_measures_that(tmp_path, s3_server):
    storage = {"STORAGE": json.dumps(s3_server.storage)}
    done = lakemuster(tmp_path, "bench-here", f"{s3_server.url}/lake", *TINY, "--keep", "--json", **storage)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["location"].startswith(f"{s3_server.url}/lake/lakemuster-bench-")
    listed = s3_server.client.list_objects_v2(Bucket=s3_server.bucket)["Contents"]
    sizes = {one["Key"]: one["Size"] for one in listed}
    below = f"{found['location'].removeprefix(f'{s3_server.url}/')}/segments/"
    assert sum(number for key, number in sizes.items() if key.startswith(below)) == found["index"]["segment_bytes"] > 0
    probes = [number for key, number in sizes.items() if "/probes/" in key]
    assert probes == [1024] * found["storage"]["write"]["count"]
    assert found["storage"]["read"]["p50_ms"] > 0
    for key in sizes:
        s3_server.client.delete_object(Bucket=s3_server.bucket, Key=key)
    done = lakemuster(tmp_path, "bench-here", f"{s3_server.url}/lake", *TINY, **storage)
    assert (done.returncode, done.stderr) == (0, "")
    assert "object write: p50 ms" in done.stdout
    assert s3_server.client.list_objects_v2(Bucket=s3_server.bucket)["KeyCount"] == 0


def test_a_url_that_cannot_be_written_is_said_in_one_line(tmp_path, s3_server):
    storage = {"STORAGE": json.dumps(s3_server.storage)}
    (tmp_path / "file").write_text("no folder")
    for url, reason in (
        ("file", "Not a directory"),
        ("missing", "No such file or directory"),
        ("s3://no-such-bucket-here/x", "s3://no-such-bucket-here/x"),
        ("https://host.invalid/x", "is read-only"),
        ("nowhere://x", "nowhere"),
    ):
        done = lakemuster(tmp_path, "bench-here", url, *TINY, **storage)
        assert (done.returncode, done.stdout) == (1, ""), url
        assert done.stderr.startswith("lakemuster: ")
        assert done.stderr.count("\n") == 1
        assert "cannot be written" in done.stderr
        assert reason in done.stderr
        assert "SEGMENTS_URL" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("most", "reason"), [(250_000, "database"), (400_000, "cannot be written: File too large")])
def test_a_disk_that_refuses_more_bytes_is_said_in_one_line(tmp_path, most, reason):
    """A limit of the file size stands for a full disk: the database cannot be created, or a manifest not written."""
    done = subprocess.run(
        [sys.executable, "-m", "lakemuster", "bench-here", str(tmp_path), "--entries", "20000", "--seconds", "3"],
        cwd=tmp_path,
        env=environment(tmp_path, {}),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr
    assert list(tmp_path.iterdir()) == []
