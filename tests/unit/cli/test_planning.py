"""The queries and the output of ``plan`` and ``explain``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakemuster.errors import FilterInvalid
from tests.unit.cli.commands import Shelf, run


def file(path: str, content: str = "data", **rest: Any) -> dict[str, Any]:
    return {"content": content, "record_count": 3, "file_path": path, "content_offset": None, **rest}


def planned(path: str, *deletes: int, residual: object = None) -> dict[str, Any]:
    return file(path, deletes=list(deletes), residual=residual)


COUNTS = {"manifests": 2, "manifests_kept": 1, "entries": 9, "files": 3, "records": 9, "bytes": 9}
IDLE = {"filter": "length(b) > 2", "reason": "length() cannot prune"}
ABOUT = {"snapshot_id": "7", "applied": ["a > 1"], "not_applied": [IDLE], "counts": COUNTS, "stale": None}
X, Y = file("x", "position-deletes"), file("y", "equality-deletes")
PAGES = [
    {**ABOUT, "files": [planned("p", 0, residual="a > 1"), planned("q", 0, 1)], "deletes": [X, Y]},
    {**ABOUT, "files": [planned("r", 0)], "deletes": [Y]},
]
EXPLANATION = {
    "snapshot_id": "7",
    "funnel": [
        {"level": "manifests", "seen": 4, "kept": 1, "dropped": 3, "dropped_by": [{"filter": "a > 1", "dropped": 3}]},
        {"level": "entries", "seen": 9, "kept": 9, "dropped": 0, "dropped_by": []},
    ],
    "applied": ["a > 1"],
    "not_applied": [],
    "files": [
        {
            "file_path": "p",
            "state": "dropped",
            "level": "entries",
            "dropped_by": "a > 1",
            "reasons": [
                {
                    "filter": "a > 1",
                    "column": "a",
                    "verdict": "cannot match",
                    "bound": {"upper": 1},
                    "reason": "too low",
                }
            ],
        },
        {"file_path": "q", "state": "absent", "level": None, "dropped_by": None, "reasons": []},
    ],
    "stale": "storage_unavailable: gone",
}


def test_a_plan_is_data_files_with_their_deletes_counted_and_then_those(use):
    use(Shelf(plan=PAGES))
    done = run("plan", "t", "--where", "a > 1")
    assert done.status == 0
    assert done.lines == [
        "content\trecord_count\tdeletes\tresidual\tfile_path",
        "data\t3\t1\ta > 1\tp",
        "data\t3\t2\t-\tq",
        "data\t3\t1\t-\tr",
        "position-deletes\t3\t-\t-\tx",
        "equality-deletes\t3\t-\t-\ty",
    ]
    assert done.err == "lakemuster: length(b) > 2 could not drop files: length() cannot prune\n"


def test_json_is_the_whole_plan_with_one_numbering_of_deletes(use):
    use(Shelf(plan=PAGES))
    done = run("plan", "t", "--json")
    assert (done.status, done.err) == (0, "")
    document = json.loads(done.out)
    assert [f["deletes"] for f in document["files"]] == [[0], [0, 1], [1]]
    assert document["deletes"] == [X, Y]
    assert {key: document[key] for key in ABOUT} == ABOUT


def test_json_of_a_plan_without_files(use):
    use(Shelf(plan=[{**ABOUT, "files": [], "deletes": []}]))
    assert json.loads(run("plan", "t", "--json").out) == {**ABOUT, "files": [], "deletes": []}


def test_a_plan_that_fails_on_the_way_is_no_short_plan(use):
    use(Shelf(plan=[PAGES[0], FilterInvalid("the server lost its way")]))
    done = run("plan", "t", "--json")
    assert (done.status, done.err) == (1, "lakemuster: the server lost its way\n")
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.out)


def test_options_reach_the_source(use):
    shelf = use(Shelf(plan=PAGES))
    run("plan", "t", "--where", "a > 1", "--select", "a,b", "--limit", "5", "--strict", "--ref", "audit")
    (query,) = shelf.queries
    assert (query.kind, query.table, query.limit, query.ref) == ("plan", "t", 5, "audit")
    assert query.options == {"where": "a > 1", "select": "a,b", "strict": "true"}


def test_an_explanation_is_a_funnel_and_reasons(use):
    shelf = use(Shelf(explain=[EXPLANATION]))
    done = run("explain", "t", "--where", "a > 1", "--file", "p", "--file", "q", "--snapshot", "7")
    assert (done.status, shelf.calls) == (0, [("explain", "p", "q")])
    assert (shelf.queries[0].options, shelf.queries[0].snapshot_id) == ({"where": "a > 1"}, 7)
    assert done.lines == [
        "level\tseen\tdropped\tkept\tdropped_by",
        "manifests\t4\t3\t1\ta > 1 (3)",
        "entries\t9\t0\t9\t-",
        "",
        "state\tlevel\tfilter\tcolumn\tverdict\treason\tfile_path",
        "dropped\tentries\ta > 1\ta\tcannot match\ttoo low\tp",
        "absent\t-\t-\t-\t-\t-\tq",
    ]
    assert done.err == "lakemuster: this is not the table's newest state: storage_unavailable: gone\n"


def test_an_explanation_in_json_is_the_servers(use):
    use(Shelf(explain=[EXPLANATION]))
    assert json.loads(run("explain", "t", "--json").out) == EXPLANATION


def test_files_take_a_filter(use):
    shelf = use(Shelf(files=[]))
    assert run("files", "t", "--where", "a > 1").status == 0
    assert shelf.queries[0].options == {"filter": "a > 1"}
