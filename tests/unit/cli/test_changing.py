"""Commands that change the index, and their output."""

from __future__ import annotations

import json
import sys

import pytest

from lakemuster.errors import LocationRefused, NotATable, StorageUnavailable
from tests.unit.cli.commands import Shelf, run


def report(published=(), quarantined=(), **rest):
    return {
        "table": "t",
        "published": list(published),
        "quarantined": [{"snapshot_id": number, "reason": reason} for number, reason in quarantined],
        "lists_fetched": 1,
        "manifests_fetched": 2,
        "entries_decoded": 30,
        "seconds": 0.25,
        **rest,
    }


def test_add_says_what_was_registered(use):
    shelf = use(Shelf())
    done = run("add", "shop.orders", "s3://lake/orders", "--format", "paimon", "--rewrite", "hdfs://a=s3://b")
    assert (done.status, done.out) == (0, "registered shop.orders (paimon) at s3://lake/orders\n")
    assert shelf.calls == [("add", "shop.orders", "s3://lake/orders", "paimon", (("hdfs://a", "s3://b"),))]


def test_add_leaves_the_format_open(use):
    shelf = use(Shelf())
    done = run("add", "t", "/lake/t", "--json")
    assert json.loads(done.out)["format"] == "iceberg"
    assert shelf.calls == [("add", "t", "/lake/t", None, ())]


def test_discover_says_a_line_a_table(use):
    shelf = use(
        Shelf(
            discover=[
                {"outcome": "registered", "name": "a.x", "format": "iceberg", "location": "/l/a/x", "reason": None},
                {"outcome": "exists", "name": "a.y", "format": "paimon", "location": "/l/a/y", "reason": None},
                {"outcome": "refused", "name": "a.z", "format": "iceberg", "location": "/l/a/z", "reason": "version 9"},
            ]
        )
    )
    done = run("discover", "/l", "--namespace", "n", "--rewrite", "a=/b")
    assert done.status == 0
    assert done.lines == [
        "registered\ta.x\ticeberg\t/l/a/x",
        "exists\ta.y\tpaimon\t/l/a/y",
        "refused\ta.z\ticeberg\t/l/a/z\tversion 9",
    ]
    assert shelf.calls == [("discover", "/l", "n", (("a", "/b"),))]
    assert shelf.closed


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_discover_fails_if_every_table_is_refused(use, option):
    refused = {"outcome": "refused", "name": "a.z", "format": None, "location": "/l/a/z", "reason": "access denied"}
    use(Shelf(discover=[refused, refused]))
    done = run("discover", "/l", *option)
    assert (done.status, done.err) == (1, "")
    assert option or done.lines == ["refused\ta.z\t-\t/l/a/z\taccess denied"] * 2


@pytest.mark.parametrize("words", [("discover",), ("add", "t")])
def test_a_path_that_is_no_folder_is_told(monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    done = run(*words, "nowhere")
    assert (done.status, done.err) == (1, f"lakemuster: there is no folder {tmp_path}/nowhere\n")
    done = run(*words, "file")
    assert (done.status, done.err) == (1, f"lakemuster: {tmp_path}/file is a file, not a folder\n")


def test_discovering_nothing_is_a_failure(use):
    use(Shelf(discover=[]))
    done = run("discover", "/l")
    assert (done.status, done.out) == (1, "")
    assert done.err == "lakemuster: no Iceberg or Paimon table found below /l\n"


def test_discover_fails_when_the_walk_does(use):
    use(Shelf(discover=[StorageUnavailable("the bucket does not answer")]))
    done = run("discover", "s3://lake")
    assert (done.status, done.err) == (1, "lakemuster: the bucket does not answer\n")


def test_remove_says_so(use):
    use(Shelf())
    assert run("remove", "shop.orders").out == "removed shop.orders\n"


def test_sweep_says_what_it_removed(use):
    shelf = use(Shelf())
    assert run("sweep").out == "1 segment removed, 12,345 bytes\n"
    assert json.loads(run("sweep", "--grace", "2", "--json").out) == {"unregistered": 1, "files": 1, "bytes": 12_345}
    assert shelf.calls == [("sweep", 24 * 3600.0), ("sweep", 2 * 3600.0)]
    assert run("sweep", "--grace", "0.5").status == 2


def test_removing_a_table_that_is_not_there_fails(use):
    use(Shelf())
    done = run("remove", "missing")
    assert (done.status, done.out) == (1, "")
    assert done.err == "lakemuster: no table of that name is registered\n"


def test_refresh_says_what_it_did(use):
    use(Shelf(t=[report(published=["1", "2"])]))
    done = run("refresh", "t")
    assert done.status == 0
    assert done.out == "t: 2 snapshots published, 2 manifests fetched, 30 entries decoded, 0.2 s\n"


def test_refresh_goes_on_after_a_table_that_fails(use):
    shelf = use(Shelf(a=[LocationRefused("outside")], b=[report(published=["1"])]))
    done = run("refresh", "a", "b")
    assert done.status == 1
    assert done.err == "lakemuster: a: outside\n"
    assert done.out.startswith("b: 1 snapshot published, ")
    assert shelf.calls == [("refresh", "a"), ("refresh", "b")]


def test_an_old_snapshot_that_cannot_be_read_is_told(use):
    use(Shelf(t=[report(quarantined=[("7", "the manifest is gone")])]))
    done = run("refresh", "t")
    assert done.status == 0
    assert done.err == "lakemuster: t: snapshot 7 cannot be read: the manifest is gone\n"
    assert "0 snapshots published, 1 quarantined" in done.out


def test_a_newest_state_that_cannot_be_read_is_a_failure(use):
    shelf = use(Shelf(a=[report()], b=[report()]))
    shelf.stale_reasons["a"] = "object_missing: x.avro"
    done = run("refresh", "a", "b")
    assert done.status == 1
    assert done.err == "lakemuster: a: its newest state cannot be read: object_missing: x.avro\n"
    assert len(done.lines) == 2


def test_refresh_all_takes_every_table(use):
    shelf = use(Shelf(tables=[{"name": "a"}, {"name": "b"}], a=[report()], b=[report()]))
    done = run("refresh", "--all", "--json")
    assert (done.status, len(json.loads(done.out))) == (0, 2)
    assert shelf.calls == [("refresh", "a"), ("refresh", "b")]


def test_an_unforeseen_failure_ends_the_refresh(use):
    shelf = use(Shelf(a=[KeyError("x")], b=[report()]))
    assert run("refresh", "a", "b").status == 1
    assert shelf.calls == [("refresh", "a")]


def test_index_asks_for_every_snapshot(use, monkeypatch):
    shelf = Shelf(t=[report()])
    asked = {}

    def opened(**settings):
        asked.update(settings)
        return shelf

    monkeypatch.setattr("lakemuster.cli.changing.local_source", opened)
    assert run("index", "t", "--engine", "local").status == 0
    assert asked["history"] > 10**9
    assert shelf.closed


def test_index_on_spark_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    done = run("index", "t", "--engine", "spark", "--master", "local[2]")
    assert done.status == 1
    assert done.err == (
        "lakemuster: --engine spark needs PySpark, which is not installed: "
        "pip install '.[server]' in the source tree, or 'WHEEL[server]' with the path of a built wheel, "
        "and pip install 'pyspark[sql]'\n"
    )
    assert not list(tmp_path.iterdir())


def test_a_master_is_for_spark(use):
    use(Shelf())
    done = run("index", "t", "--master", "local[2]")
    assert done.status == 2
    assert "requires --engine spark" in done.err


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--master", "local[2]"], "requires --engine spark"),
        (["--index", "*", "--master", "local[2]"], "requires --engine spark"),
        (["--engine", "spark"], "requires --index"),
    ],
)
def test_sync_uses_spark_to_index_only(use, words, wrong):
    shelf = use(Shelf())
    done = run("sync", "prod", *words)
    assert done.status == 2
    assert wrong in done.err
    assert shelf.calls == []


def test_a_location_that_is_no_table_is_said_in_its_words(use, monkeypatch):
    shelf = use(Shelf())

    def refuse(*_: object) -> None:
        raise NotATable("/tmp/x holds neither Iceberg nor Paimon metadata")

    monkeypatch.setattr(shelf, "add", refuse)
    assert run("add", "t", "/tmp/x").err == "lakemuster: /tmp/x holds neither Iceberg nor Paimon metadata\n"
