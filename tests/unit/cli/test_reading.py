"""Reading commands: their queries, and their output on terminals and in pipes."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest

from lakemuster.cli import output
from lakemuster.errors import MetadataCorrupt, TableNotFound
from tests.unit.cli.commands import Shelf, run

FILE: dict[str, Any] = {
    "snapshot_id": "9007199254740993",
    "content": "data",
    "file_path": "s3://lake/orders/day=2024-05-01/part 1.parquet",
    "file_format": "parquet",
    "spec_id": 0,
    "partition": {"day": "2024-05-01"},
    "record_count": 10,
    "file_size_in_bytes": 2048,
    "key_metadata": None,
}
HEADER = "content\tfile_format\tpartition\trecord_count\tfile_size_in_bytes\tfile_path"


@pytest.fixture
def shelf(use):
    return use(Shelf(files=[FILE, {**FILE, "record_count": 20}]))


def test_a_pipe_gets_names_then_whole_values_between_tabs(shelf):
    done = run("files", "shop.orders")
    assert (done.status, done.err) == (0, "")
    assert done.lines == [
        HEADER,
        f"data\tparquet\tday=2024-05-01\t10\t2048\t{FILE['file_path']}",
        f"data\tparquet\tday=2024-05-01\t20\t2048\t{FILE['file_path']}",
    ]


def test_json_is_one_array_with_every_field(shelf):
    done = run("files", "shop.orders", "--json")
    assert json.loads(done.out) == [FILE, {**FILE, "record_count": 20}]


@pytest.mark.parametrize(("option", "out", "err"), [((), "", "lakemuster: no files\n"), (("--json",), "[]\n", "")])
def test_an_empty_list_is_no_failure(use, option, out, err):
    use(Shelf(files=[]))
    done = run("files", "shop.orders", *option)
    assert (done.status, done.out, done.err) == (0, out, err)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("tables",), "no tables"),
        (("tables", "--search", "x"), "no matching tables"),
        (("namespaces",), "no tables"),
        (("refresh", "--all"), "no tables"),
    ],
)
def test_an_index_without_tables_is_named(use, monkeypatch, tmp_path, words, what):
    monkeypatch.chdir(tmp_path)
    use(Shelf(tables=[], namespaces=[]))
    done = run(*words)
    assert (done.status, done.out) == (0, "")
    assert done.err == f"lakemuster: {what} in the index at {tmp_path}/.lakemuster/index.db\n"
    assert run(*words, "--json").err == ""


@pytest.mark.parametrize("width", [80, 100, 200])
def test_a_terminal_gets_tables_that_fit_with_every_value_whole(width, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    output.show_list("files", [FILE], as_json=False)
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    rule = next(at for at, line in enumerate(lines) if "─" in line)
    shown = Counter("".join(lines[rule + 1 :]))
    values = ("data", "parquet", "day=2024-05-01", "10", "2048", FILE["file_path"])
    assert {c: n for c, n in shown.items() if c != " "} == Counter("".join(values).replace(" ", ""))


def test_a_terminal_is_told_of_an_empty_list(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    output.show_list("files", [], as_json=False)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "lakemuster: no files\n")


@pytest.mark.parametrize(
    ("kind", "line"),
    [("catalogs", "no catalogs are attached"), ("dead_letters", "no dead letters"), ("$tags", "no rows")],
)
def test_an_empty_list_is_described_by_its_kind(kind, line, capsys):
    output.show_list(kind, [], as_json=False)
    assert capsys.readouterr().err == f"lakemuster: {line}\n"


def test_long_lists_reach_the_terminal_piece_by_piece(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr(output, "TABLE_ROWS", 2)
    monkeypatch.setenv("COLUMNS", "200")
    output.show_list("files", [{**FILE, "record_count": 70000 + n} for n in range(5)], as_json=False)
    shown = capsys.readouterr().out
    assert shown.count("file path") == 3
    assert [str(70000 + n) in shown for n in range(5)] == [True] * 5


def test_limit_stops_early_and_is_told_to_the_source(use):
    shelf = use(Shelf(files=[FILE, FILE, RuntimeError("was read")]))
    done = run("files", "shop.orders", "--limit", "2", "--json")
    assert (done.status, len(json.loads(done.out))) == (0, 2)
    assert shelf.queries[0].limit == 2


def test_a_failure_on_the_way_is_no_short_list(use):
    use(Shelf(files=[FILE, MetadataCorrupt("the manifest is cut off")]))
    done = run("files", "shop.orders", "--json")
    assert done.status == 1
    assert done.err == "lakemuster: the manifest is cut off\n"
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.out)


@pytest.mark.parametrize(
    "kind", ["snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes"]
)
@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ((), (None, None, None)),
        (("--snapshot", "-9007199254740993"), (-9007199254740993, None, None)),
        (("--ref", "audit"), (None, "audit", None)),
        (("--as-of", "2024-05-01"), (None, None, datetime(2024, 5, 1, tzinfo=UTC))),
        (("--as-of", "2024-05-01T12:00:00+02:00"), (None, None, datetime(2024, 5, 1, 10, tzinfo=UTC))),
    ],
)
def test_each_list_of_a_snapshot_can_choose_it(use, kind, words, asked):
    shelf = use(Shelf(**{kind: []}))
    assert run(kind, "shop.orders", *words).status == 0
    (query,) = shelf.queries
    assert (query.kind, query.table) == (kind, "shop.orders")
    assert (query.snapshot_id, query.ref, query.as_of) == asked


@pytest.mark.parametrize("kind", ["snapshots", "refs", "schemas", "specs"])
def test_each_list_of_a_table_is_asked_for_by_its_name(use, kind):
    shelf = use(Shelf(**{kind: []}))
    assert run(kind, "`a.b`.c").status == 0
    assert (shelf.queries[0].kind, shelf.queries[0].table) == (kind, "`a.b`.c")


def test_options_of_one_list_reach_the_source(use):
    shelf = use(Shelf(files=[], entries=[]))
    run("files", "t", "--content", "data", "--stats", "a,b")
    run("entries", "t", "--manifest", "m0.avro")
    assert [query.options for query in shelf.queries] == [{"content": "data", "stats": "a,b"}, {"manifest": "m0.avro"}]


@pytest.mark.parametrize(("words", "to"), [(("1", "2"), 2), (("1",), None)])
def test_a_difference_names_one_or_two_snapshots(use, words, to):
    shelf = use(Shelf(diff=[]))
    assert run("diff", "t", *words).status == 0
    assert (shelf.queries[0].options, shelf.queries[0].snapshot_id) == ({"from": "1"}, to)


def test_an_old_answer_is_marked_on_stderr(use):
    shelf = use(Shelf(files=[FILE]))
    shelf.notice = "storage_unavailable: the bucket does not answer"
    done = run("files", "t")
    assert (done.status, len(done.lines)) == (0, 2)
    assert done.err == (
        "lakemuster: this is not the table's newest state: storage_unavailable: the bucket does not answer\n"
    )


def test_names_cannot_write_to_the_terminal(use):
    use(Shelf(tables=[{"name": "a\x1b]0;x\x07", "format": "iceberg", "location": "l\nm", "current_snapshot_id": None}]))
    assert run("tables").lines[1] == "a\\x1b]0;x\\x07\ticeberg\t-\tl\\nm"


def test_tables_and_namespaces_are_chosen_and_sorted_by_their_source(use):
    shelf = use(Shelf(tables=[{"name": "a.b"}, {"name": "a.c"}], namespaces=[{"name": "a", "tables": 2}]))
    words = ["--namespace", "a", "--search", "b", "--format", "iceberg", "--stale", "--sort", "-total_bytes"]
    assert run("tables", *words, "--limit", "1").lines == ["name", "a.b"]
    assert run("tables", "--fresh", "--catalog", "prod").status == 0
    assert run("namespaces", "--sort", "-tables", "--search", "x").lines == ["name\ttables", "a\t2"]
    assert shelf.choices == [
        {"namespace": "a", "search": "b", "format": "iceberg", "stale": True, "sort": "-total_bytes"},
        {"catalog": "prod", "stale": False},
        {"search": "x", "sort": "-tables"},
    ]


def test_lists_of_a_table_are_sorted_and_cut_by_their_source(use):
    shelf = use(Shelf(files=[], partitions=[], snapshots=[]))
    assert run("files", "t", "--sort", "-record_count", "--top", "5").status == 0
    assert run("partitions", "t", "--where", "a = 1", "--sort", "file_count").status == 0
    assert run("snapshots", "t", "--sort", "snapshot_id").status == 0
    assert [query.options for query in shelf.queries] == [
        {"sort": "-record_count", "top": "5"},
        {"filter": "a = 1", "sort": "file_count"},
        {"sort": "snapshot_id"},
    ]


def test_the_source_is_closed_after_failures_too(use):
    shelf = use(Shelf(files=[TableNotFound("no such table")]))
    assert run("files", "t").status == 1
    assert shelf.closed


@pytest.mark.parametrize("words", [("tables",), ("files", "shop.orders")])
def test_a_limit_may_be_any_number(use, words):
    use(Shelf(**{words[0]: []}))
    assert run(*words, "--limit", "9" * 20, "--json").out == "[]\n"
