"""Commands on a local index, commands on a server of it, and the Python client give the same results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakemuster import Client
from lakemuster.client import NotFoundError
from tests.journey.cli.conftest import EQUALITY, Lake, run_here
from tests.journey.servers import Running, environment

LISTS = (
    "snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes", "columns",
    "timeline",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _here(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the lake in this process: a process for each command would take minutes."""
    monkeypatch.chdir(lake.folder)
    for name, value in environment(lake.folder, {}).items():
        monkeypatch.setenv(name, value)


def said(*words: str) -> str:
    return run_here(*words)[0]


def names(server: Running) -> list[str]:
    return [table.name for table in Client(server.uri).tables()]


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "checked_at"} for row in rows]


def test_tables_are_the_same(server: Running):
    here, there = json.loads(said("tables", "--json")), json.loads(said("tables", "--json", "--uri", server.uri))
    assert len(here) == 8
    assert without_times(here) == without_times(there)


def test_a_misspelt_name_has_the_same_suggestion(lake: Lake, server: Running):
    name = EQUALITY.replace("mytable", "mytabel")
    for there in ((), ("--uri", server.uri)):
        status, out, err = lake.run("files", name, *there)
        assert (status, out) == (1, "")
        assert err == f"lakemuster: table {name} is not registered (did you mean {EQUALITY}?)\n"


@pytest.mark.parametrize("kind", LISTS)
def test_every_list_of_every_table_is_the_same(server: Running, kind: str):
    for name in names(server):
        for form in ([], ["--json"]):
            here, there = said(kind, name, *form), said(kind, name, *form, "--uri", server.uri)
            assert here == there, (name, form)
    assert said(kind, names(server)[0], "--json") != "[]\n" or kind == "indexes"


def test_every_snapshot_is_the_same_however_it_is_chosen(server: Running):
    chosen = 0
    for name in names(server):
        for snapshot in json.loads(said("snapshots", name, "--json")):
            if snapshot["branch"] != "main" or snapshot["state"] != "published":
                continue
            ways = [["--snapshot", snapshot["snapshot_id"]], ["--as-of", snapshot["committed_at"]]]
            for way in ways:
                here = said("files", name, "--json", *way)
                assert here == said("files", name, "--json", *way, "--uri", server.uri), (name, way)
                chosen += 1
            for kind in LISTS[:4]:
                assert said(kind, name, *ways[0]) == said(kind, name, *ways[0], "--uri", server.uri), (kind, name)
        for ref in json.loads(said("refs", name, "--json")):
            here = said("files", name, "--json", "--ref", ref["name"])
            assert here == said("files", name, "--json", "--ref", ref["name"], "--uri", server.uri)
    assert chosen > 20


def test_statistics_and_contents_are_the_same(server: Running):
    for name in names(server):
        for words in (["--stats", "*"], ["--content", "data"], ["--content", "position-deletes,equality-deletes"]):
            here = said("files", name, "--json", *words)
            assert here == said("files", name, "--json", *words, "--uri", server.uri), (name, words)


def test_differences_are_the_same(server: Running):
    for name in names(server):
        ids = [row["snapshot_id"] for row in json.loads(said("snapshots", name, "--json")) if row["branch"] == "main"]
        for words in ([ids[0]], [ids[0], ids[-1]]):
            here = said("diff", name, "--json", "--", *words)
            assert here == said("diff", name, "--json", "--uri", server.uri, "--", *words), (name, words)


def test_the_figures_of_every_table_are_the_same(server: Running):
    for name in names(server):
        here, there = (json.loads(said("stats", name, "--json", *more)) for more in ((), ("--uri", server.uri)))
        client = dict(Client(server.uri).table(name).stats())
        for one in (here, there, client):
            assert one.pop("computed_at")
        assert here == there == client
        lines = dict(line.split("\t") for line in said("stats", name).splitlines())
        assert lines["totals.bytes"] == str(here["totals"]["bytes"])
        assert lines["deletes.rows_deleted.exact"] == str(here["deletes"]["rows_deleted"]["exact"]).lower()


def test_the_overlap_and_the_bounds_of_a_column_are_the_same(server: Running):
    compared = 0
    for name in names(server):
        table = Client(server.uri).table(name)
        columns = [row["column"] for row in table.columns() if row["overlap"] is not None]
        for column in columns[:2]:
            there = ("--uri", server.uri)
            for form in (["--json"], ["--sort=-max", "--top", "2"]):
                here = said("overlap", name, column, *form)
                assert here == said("overlap", name, column, *form, *there), (name, column)
            assert json.loads(said("overlap", name, column, "--json")) == [*table.overlap(column)]
            given = ("bounds", name, column, "--groups", "2", "--where", f"`{column}` is not null")
            here = said(*given, "--json")
            assert here == said(*given, "--json", *there), (name, column)
            assert json.loads(here) == table.bounds(column, f"`{column}` is not null", groups=2)
            lines = [line.split("\t") for line in said(*given).splitlines()[1:]]
            assert [int(line[0]) for line in lines] == [group["files"] for group in json.loads(here)["groups"]]
            compared += len(lines)
    assert compared > 20


def test_files_that_are_in_no_group_are_told(lake: Lake, server: Running):
    for name in names(server):
        for row in Client(server.uri).table(name).columns():
            found = row["overlap"] and Client(server.uri).table(name).bounds(row["column"])
            if found and (left := {kind: found[kind] for kind in ("open_files", "empty_files") if found[kind]}):
                words = {"open_files": "without a bound", "empty_files": "without a value"}
                told = [f"lakemuster: files in no group: {left[kind]} {words[kind]}" for kind in words if kind in left]
                assert lake.run("bounds", name, row["column"])[2].splitlines() == told
                return
    raise AssertionError("every file is in a group")


@pytest.mark.parametrize("kind", ["manifests", "entries", "files", "partitions", "indexes"])
def test_the_client_counts_the_same_in_rows_and_in_arrow(server: Running, kind: str):
    client = Client(server.uri)
    for name in names(server):
        rows = getattr(client.table(name), kind)(page_size=2)
        listed = list(rows)
        snapshot_id = rows.snapshot_id
        table = rows.to_arrow()
        assert table.num_rows == len(listed)
        assert list(listed[0] if listed else table.column_names) == table.column_names
        assert table.schema.metadata[b"snapshot_id"] == str(snapshot_id).encode()
        assert sum(batch.num_rows for batch in rows.batches()) == len(listed)


def test_the_client_reads_the_lists_of_a_table(server: Running):
    table = Client(server.uri).table("paimon.parquet.pk_09.pk_09")
    snapshots = list(table.snapshots())
    assert [snapshot.snapshot_id for snapshot in snapshots] == list(range(8, 0, -1))
    assert list(table.snapshots(order="asc")) == snapshots[::-1]
    assert table.snapshot(8) == snapshots[0]
    assert table.snapshots().to_arrow().num_rows == 8
    assert table.info().current_snapshot_id == 8
    assert [ref.name for ref in table.refs()] == ["main"]
    assert Client(server.uri).refresh(table.name).published == ()


def test_the_client_tells_what_is_not_there(server: Running):
    client = Client(server.uri)
    for ask in (
        lambda: client.table("no.such").info(),
        lambda: list(client.table("no.such").files()),
        lambda: client.table("no.such").files().to_arrow(),
        lambda: client.table(names(server)[0]).snapshot(1),
        lambda: client.remove("no.such"),
    ):
        with pytest.raises(NotFoundError) as caught:
            ask()
        assert caught.value.code in ("table_not_found", "snapshot_not_found")


def test_limits_hold_on_both_sides(server: Running):
    name = "paimon.parquet.pk_09.pk_09"
    whole = json.loads(said("entries", name, "--json"))
    assert json.loads(said("entries", name, "--json", "--limit", "3")) == whole[:3]
    assert json.loads(said("entries", name, "--json", "--limit", "3", "--uri", server.uri)) == whole[:3]


def test_system_tables_are_the_same(server: Running):
    compared = 0
    for table in Client(server.uri).tables():
        names = [row["name"] for row in Client(server.uri).table(table.name).system_tables()]
        assert bool(names) == (table.format == "paimon")
        for name in names:
            for form in ([], ["--json"]):
                here, there = (
                    said("system", name, table.name, *form),
                    said("system", name, table.name, *form, "--uri", server.uri),
                )
                assert here == there, (table.name, name)
            assert json.loads(here) == [*Client(server.uri).table(table.name).system(name)]
            compared += 1
    assert compared > 10


def test_timelines_by_period_and_expiries_are_the_same(server: Running):
    compared = 0
    for name in names(server):
        for words in (["--bucket", "month"], ["--order", "asc", "--from", "2020-01-01", "--index"]):
            here = said("timeline", name, "--json", *words)
            assert here == said("timeline", name, "--json", *words, "--uri", server.uri), (name, words)
        if any(row["state"] != "published" for row in json.loads(said("snapshots", name, "--json"))):
            continue
        given = [name, "--older-than", "2100-01-01", "--retain-last", "1"]
        for form in ([], ["--files"], ["--files", "--json"]):
            here = said("expiry", *given, *form)
            assert here == said("expiry", *given, *form, "--uri", server.uri), (name, form)
        summaries = [json.loads(said("expiry", *given, "--json", *there)) for there in ([], ["--uri", server.uri])]
        assert summaries[0] | {"now": ""} == summaries[1] | {"now": ""}
        compared += len(summaries[0]["totals"])
    assert compared


def _without_moments(value: Any) -> Any:
    """Return the value without times of computation and the ages that depend on them."""
    if isinstance(value, list):
        return [_without_moments(one) for one in value if not isinstance(one, dict) or one.get("name") != "staleness"]
    if isinstance(value, dict):
        return {key: _without_moments(one) for key, one in value.items() if key not in ("computed_at", "since")}
    return value


def test_health_is_the_same(server: Running):
    for name in names(server):
        # The first command stores the health in the database that the server reads.
        here, there = (json.loads(said("health", name, "--json", *more)) for more in ((), ("--uri", server.uri)))
        assert _without_moments(here) == _without_moments(there), name
        assert here["components"]
        said("health", name, "--history", "3")
    for choice in ([], ["--status", "warning,critical"], ["--component", "manifests"], ["--sort", "name"]):
        here, there = (json.loads(said("health", *choice, "--json", *more)) for more in ((), ("--uri", server.uri)))
        assert _without_moments(here) == _without_moments(there), choice
    assert len(json.loads(said("health", "--json"))) == len(names(server))
