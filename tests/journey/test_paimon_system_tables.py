"""Paimon's system tables over HTTP have the rows and types of pypaimon's, on tables that pypaimon wrote.

The comparison allows these differences, in all of which the server answers as Paimon's Java does:

* partitions are ``{v, null}``, in ``$partitions`` ``k=v`` with the default name for null; pypaimon has ``k=v``,
  ``None`` (``__NULL__`` in ``$buckets``), and null for a table without partition keys;
* keys and statistics are Java's ``toString()``; pypaimon has JSON;
* ``file_path`` of ``$files`` is a full path; pypaimon has the file's name;
* ``file_source`` is a word; pypaimon has the code;
* ``total_buckets`` is that of the entries; pypaimon counts buckets that have files;
* ``$snapshots`` has ``operation``; pypaimon does not.
"""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakemuster import Client
from tests.journey.servers import Running, lakemuster, served

SCRIPT = Path(__file__).with_name("paimon_system_tables.py")
ARROW = "application/vnd.apache.arrow.stream"
Row = dict[str, Any]
Answers = dict[str, dict[str, dict[str, Any]]]

BUCKETS = {"db.keyed": 3}
"""The tables' bucket options; the default is -1."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("system-tables")


@pytest.fixture(scope="module")
def theirs(folder: Path, run_pypaimon: Callable[..., Any]) -> Answers:
    answers: Answers = run_pypaimon(SCRIPT, warehouse=str(folder / "lake"))
    return answers


@pytest.fixture(scope="module")
def server(folder: Path, theirs: Answers) -> Iterator[Running]:
    found = lakemuster(folder, "discover", str(folder / "lake"))
    assert found.returncode == 0, found.stderr
    with served(folder) as running:
        yield running


def arrow(server: Running, path: str, **params: str) -> pa.Table:
    answer = server.http.get(f"/api/v1{path}", params=params, headers={"Accept": ARROW})
    assert answer.status_code == 200, answer.text[:500]
    return pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()


def asked(name: str) -> tuple[str, dict[str, str]]:
    """Return a table's path, and the branch that pypaimon has in the table's name."""
    table, _, branch = name.partition("$branch_")
    return f"/tables/{table}/system", {"ref": branch} if branch else {}


def ours(server: Running, name: str, which: str) -> list[Row]:
    path, params = asked(name)
    found: list[Row] = arrow(server, f"{path}/{which}", **params).to_pylist()
    return found


def pairs(server: Running, theirs: Answers, which: str, key: str) -> Iterator[tuple[str, Row, Row]]:
    """Yield the rows of both with equal keys, for every table; assert that their numbers are equal."""
    for name, answers in theirs.items():
        found = {Path(str(row[key])).name: row for row in ours(server, name, which)}
        expected = answers[which]["rows"]
        assert len(found) == len(expected), (name, which)
        for row in expected:
            yield name, found[Path(str(row[key])).name], row


def same(one: Row, other: Row, *but: str) -> None:
    for member, cell in other.items():
        if member not in but:
            mine = one[member]
            assert (str(mine) if isinstance(mine, dt.datetime) else mine) == cell, (member, mine, cell)


def plain(type_text: str) -> str:
    """Drop differences between versions of pyarrow from a type's text, and nullability: all columns are nullable."""
    return type_text.replace("element: ", "item: ").replace(" not null", "")


def test_columns_and_types_are_those_of_pypaimon(server: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        path, params = asked(name)
        for which, answer in answers.items():
            found = arrow(server, f"{path}/{which}", **params).schema
            types = {field.name: plain(str(field.type)) for field in found}
            if which == "snapshots":
                assert types.pop("operation") == "string"
            expected = {key: plain(text) for key, text in answer["types"].items()}
            if (name, which) == ("db.empty", "options"):
                # pypaimon lets Arrow infer the types, which fails without rows.
                expected = dict.fromkeys(expected, "string")
            assert list(types.items()) == list(expected.items()), (name, which)


def test_there_is_every_table_of_pypaimon(server: Running, theirs: Answers) -> None:
    names = {row["name"] for row in server.rows("/tables/db.parted/system")}
    assert names == {*theirs["db.parted"], "statistics", "aggregation_fields"}


def test_snapshots(server: Running, theirs: Answers) -> None:
    compared = 0
    for _, one, other in pairs(server, theirs, "snapshots", "snapshot_id"):
        same(one, other)
        compared += 1
    assert compared == 12


def test_schemas(server: Running, theirs: Answers) -> None:
    documents = ("fields", "partition_keys", "primary_keys", "options")
    for _, one, other in pairs(server, theirs, "schemas", "schema_id"):
        same(one, other, *documents)
        for member in documents:
            assert json.loads(one[member]) == json.loads(other[member])


def test_options_and_consumers(server: Running, theirs: Answers) -> None:
    for which, key in (("options", "key"), ("consumers", "consumer_id")):
        for _, one, other in pairs(server, theirs, which, key):
            same(one, other)
    assert ours(server, "db.parted", "consumers") == [
        {"consumer_id": "other.one", "next_snapshot_id": 7},
        {"consumer_id": "reader", "next_snapshot_id": 2},
    ]


def test_tags_and_branches(server: Running, theirs: Answers) -> None:
    for which, key in (("tags", "tag_name"), ("branches", "branch_name")):
        for _, one, other in pairs(server, theirs, which, key):
            same(one, other)
    assert [row["time_retained"] for row in ours(server, "db.parted", "tags")] == ["PT36H", None]


def test_manifests(server: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        for one, other in zip(ours(server, name, "manifests"), answers["manifests"]["rows"], strict=True):
            same(one, other)


def braced(text: str | None) -> str:
    """Convert a partition of pypaimon to Java's form."""
    values = [] if text is None else [part.partition("=")[2] for part in text.split("/")]
    return "{" + ", ".join("null" if value in ("None", "__NULL__") else value for value in values) + "}"


def java(name: str, value: Any) -> str:
    """Convert a value of pypaimon's JSON to the text of Paimon's internal value."""
    if value is None:
        return "null"
    if name == "day" and isinstance(value, str):
        return str((dt.date.fromisoformat(value) - dt.date(1970, 1, 1)).days)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def compare_texts(one: str, other: str, where: object) -> None:
    """Compare ``{a=1, b=null}`` with pypaimon's JSON object."""
    members = json.loads(other)
    for name in sorted(members):
        start = "{" if name == min(members) else ", "
        assert one.startswith(f"{start}{name}="), where
        one = one.removeprefix(f"{start}{name}=")
        following = [later for later in sorted(members) if later > name]
        text = one[: one.index(f", {following[0]}=")] if following else one[:-1]
        one = one.removeprefix(text)
        value = members[name]
        if isinstance(value, float):
            # pypaimon shows a FLOAT widened to a double.
            assert float(text) == pytest.approx(value, rel=1e-6), (where, name)
        elif name in ("price", "wide") and isinstance(value, str):
            assert Decimal(text) == Decimal(value), (where, name)
        elif name == "blob" and isinstance(value, str):
            # pypaimon shows bytes that are valid UTF-8 as text.
            assert text in (value, value.encode().hex()), (where, name)
        else:
            assert text == java(name, value), (where, name)
    assert one == "}"


def compare_file(one: Row, other: Row) -> None:
    same(one, other, "partition", "file_path", "min_key", "max_key", *OTHERWISE)
    assert one["partition"] == braced(other["partition"])
    assert Path(one["file_path"]).is_file()
    for side in ("min_key", "max_key"):
        values = None if other[side] is None else f"[{', '.join(map(str, json.loads(other[side])))}]"
        assert one[side] == values


OTHERWISE = ("null_value_counts", "min_value_stats", "max_value_stats", "creation_time", "file_source")


def test_files(server: Running, theirs: Answers) -> None:
    compared = 0
    for name, one, other in pairs(server, theirs, "files", "file_path"):
        compare_file(one, other)
        for member in OTHERWISE[:3]:
            compare_texts(one[member], other[member], (name, member))
        assert one["file_source"] == {"0": "APPEND", "1": "COMPACT"}[other["file_source"]]
        # pypaimon's column has milliseconds in its type and whole seconds in its values.
        assert str(one["creation_time"].replace(microsecond=0)) == other["creation_time"]
        compared += 1
    assert compared == 47


def test_file_key_ranges(server: Running, theirs: Answers) -> None:
    for _, one, other in pairs(server, theirs, "file_key_ranges", "file_path"):
        compare_file(one, other)
        assert one["file_path"].removeprefix("file://") == other["file_path"]


def test_partitions(server: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        found = {row["partition"]: row for row in ours(server, name, "partitions")}
        expected = answers["partitions"]["rows"]
        assert list(found) == sorted(found)
        assert len(found) == len(expected)
        for other in expected:
            one = found[(other["partition"] or "").replace("=None", "=__DEFAULT_PARTITION__")]
            same(one, other, "partition", "total_buckets")
            assert one["total_buckets"] == BUCKETS.get(name, -1)
    assert [row["deleted_record_count"] for row in ours(server, "db.deleted", "partitions")] == [2, 2, 0]


def test_buckets(server: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        found = {(row["partition"], row["bucket"]): row for row in ours(server, name, "buckets")}
        expected = answers["buckets"]["rows"]
        assert list(found) == sorted(found)
        assert len(found) == len(expected)
        for other in expected:
            one = found[braced(other["partition"]), other["bucket"]]
            same(one, other, "partition", "last_update_time")
            assert str(one["last_update_time"].replace(microsecond=0)) == other["last_update_time"]


def test_table_indexes(server: Running, theirs: Answers) -> None:
    kinds = set()
    for _, one, other in pairs(server, theirs, "table_indexes", "file_name"):
        same(one, other, "partition")
        assert one["partition"] == braced(other["partition"])
        kinds.add(one["index_type"])
    assert kinds == {"DELETION_VECTORS", "btree"}


def test_json_lines_arrow_and_the_client_say_the_same(server: Running, theirs: Answers) -> None:
    client = Client(server.uri)
    for which in theirs["db.parted"]:
        paged = list(client.table("db.parted").system(which, page_size=3))
        streamed = client.table("db.parted").system(which).to_arrow()
        assert len(paged) == streamed.num_rows
        assert paged == server.rows(f"/tables/db.parted/system/{which}")
        lines = server.http.get(
            f"/api/v1/tables/db.parted/system/{which}", headers={"Accept": "application/x-ndjson"}
        ).text.splitlines()
        assert [json.loads(line) for line in lines[:-1]] == paged
        assert json.loads(lines[-1])["end"]["count"] == len(paged)
