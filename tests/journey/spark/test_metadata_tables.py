"""Figures equal Spark SQL over Iceberg's metadata tables ``files``, ``partitions``, ``snapshots`` and ``manifests``.

This covers every table that Spark writes, with all kinds of deletes and evolved specs, at several snapshots.
"""

from __future__ import annotations

import base64
import copy
import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.journey.servers import Running
from tests.journey.spark import tables
from tests.spark import Spark

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
TABLES = [name for name in tables.ALL if name not in ("empty", "huge")]
Facts = dict[str, Any]
Answers = dict[str, Any]

FILES = """
SELECT content, lower(file_format), spec_id, sort_order_id, file_path, record_count,
       coalesce(content_size_in_bytes, file_size_in_bytes), CAST(floor(log2(file_size_in_bytes)) AS bigint)
FROM {0}.files{1}
"""
PARTITIONED = """
SELECT to_json(partition), spec_id, record_count, file_count, total_data_file_size_in_bytes,
       position_delete_record_count, position_delete_file_count, equality_delete_record_count,
       equality_delete_file_count, last_updated_snapshot_id
FROM {0}.partitions{1}
"""
WHOLE = """
SELECT '{{}}', 0, record_count, file_count, total_data_file_size_in_bytes, position_delete_record_count,
       position_delete_file_count, equality_delete_record_count, equality_delete_file_count, last_updated_snapshot_id
FROM {0}.partitions{1}
"""
MANIFESTS = """
SELECT path, length, partition_spec_id, added_snapshot_id, content,
       added_data_files_count + added_delete_files_count, existing_data_files_count + existing_delete_files_count,
       deleted_data_files_count + deleted_delete_files_count
FROM {0}.manifests{1}
"""
SNAPSHOTS = "SELECT snapshot_id, parent_id, committed_at, operation, manifest_list FROM {0}.snapshots"
CONTENTS = ("data", "position-deletes", "equality-deletes")


def theirs(spark: Spark, name: str, snapshot: str) -> Facts:
    """Return the facts of a snapshot from Iceberg's metadata tables."""
    table, at = f"plain.db.{name}", f" VERSION AS OF {snapshot}"
    files = spark.sql(FILES.format(table, at))
    parted = any(column == "partition" for column, *_ in spark.sql(f"DESCRIBE {table}.partitions"))
    partitions = spark.sql((PARTITIONED if parted else WHOLE).format(table, at))
    data = [row for row in files if row[0] == 0]
    kinds: Counter[tuple[str, str]] = Counter()
    for content, form, _, _, _, records, size, _ in files:
        kind = "data" if content == 0 else "vectors" if form == "puffin" else CONTENTS[content]
        kinds.update({(kind, "count"): 1, (kind, "records"): records, (kind, "bytes"): size})
    return {
        "files": sorted((CONTENTS[row[0]], path_of(row[4])) for row in files),
        "kinds": +kinds,
        "histogram": Counter(row[7] for row in data),
        "formats": Counter(row[1] for row in data),
        "specs": Counter(row[2] for row in data),
        "sort orders": Counter(row[3] for row in data),
        "partition rows": len(partitions),
        "partitions": {(row[1], key_of(json.loads(row[0]))): row[2:] for row in partitions},
        "manifests": sorted([path_of(row[0]), *row[1:]] for row in spark.sql(MANIFESTS.format(table, at))),
    }


def answers(server: Running, name: str, snapshot: str) -> Answers:
    """Return the API's responses about a snapshot."""
    chosen, table = {"snapshot": snapshot}, f"/tables/db.{name}"
    lists = {part: server.rows(f"{table}/{part}", **chosen) for part in ("files", "partitions", "manifests")}
    return {**lists, "stats": server.get(f"{table}/stats", **chosen)}


def ours(found: Answers) -> Facts:
    """Return the facts of a snapshot from the API's responses."""
    stats, deletes = found["stats"], found["stats"]["deletes"]
    totals = stats["totals"]
    kinds = Counter(
        {("data", "count"): totals["data_files"], **{("data", of): totals[of] for of in ("records", "bytes")}}
    )
    names = {
        "position_deletes": "position-deletes",
        "equality_deletes": "equality-deletes",
        "deletion_vectors": "vectors",
    }
    for key, kind in names.items():
        kinds.update({(kind, of): deletes[key][of] for of in ("count", "records", "bytes")})
    manifests = [
        [
            path_of(row["manifest_path"]),
            row["manifest_length"],
            row["partition_spec_id"],
            int(row["added_snapshot_id"]),
            int(row["content"] == "deletes"),
            row["added_files_count"],
            row["existing_files_count"],
            row["deleted_files_count"],
        ]
        for row in found["manifests"]
    ]
    return {
        "files": sorted((row["content"], path_of(row["file_path"])) for row in found["files"]),
        "kinds": +kinds,
        "histogram": Counter(
            {int(of["from_bytes"]).bit_length() - 1: of["files"] for of in stats["file_size_histogram"] if of["files"]}
        ),
        "formats": Counter({of["file_format"]: of["files"] for of in stats["file_formats"]}),
        "specs": Counter({of["spec_id"]: of["files"] for of in stats["specs"]}),
        "sort orders": Counter({of["sort_order_id"]: of["files"] for of in stats["sort_orders"]}),
        "partition rows": len(found["partitions"]),
        "partitions": by_partition(found["partitions"]),
        "manifests": sorted(manifests),
    }


def by_partition(rows: list[dict[str, Any]]) -> dict[tuple[int, str], list[Any]]:
    """Return the API's partitions with the columns of Iceberg's table."""
    return {
        (row["spec_id"], key_of(row["partition"])): [
            row["record_count"],
            row["file_count"],
            row["total_data_file_size_in_bytes"],
            row["position_delete_record_count"],
            row["position_delete_file_count"],
            row["equality_delete_record_count"],
            row["equality_delete_file_count"],
            int(row["last_updated_snapshot_id"]),
        ]
        for row in rows
    }


def path_of(location: str) -> str:
    return location.removeprefix("file:").lstrip("/")


def key_of(partition: dict[str, Any]) -> str:
    """Return the values by field as text, without nulls: numbers normalized, bytes in hex."""

    def plain(name: str, value: Any) -> str:
        if name.startswith("blob") and isinstance(value, str) and value.endswith("="):
            return base64.b64decode(value).hex()
        try:
            return str(Decimal(str(value)).normalize())
        except ArithmeticError:
            return str(value).lower()

    return json.dumps({name: plain(name, value) for name, value in sorted(partition.items()) if value is not None})


@pytest.mark.parametrize("name", TABLES)
def test_every_figure_is_icebergs(written: Spark, server: Running, name: str) -> None:
    snapshots = server.rows(f"/tables/db.{name}/snapshots")
    found = sorted(
        [
            int(one["snapshot_id"]),
            None if one["parent_id"] is None else int(one["parent_id"]),
            one["committed_at"].removesuffix("Z"),
            one["operation"],
            path_of(one["manifest_lists"][0]["location"]),
        ]
        for one in snapshots
    )
    expected = sorted(
        [*row[:2], instant(row[2]), row[3], path_of(row[4])]
        for row in written.sql(SNAPSHOTS.format(f"plain.db.{name}"))
    )
    assert found == expected
    # Each of Spark's statements takes half a second: the first, the last and some between are compared.
    step = max(1, len(snapshots) // 4)
    for at in {one["snapshot_id"] for one in [*snapshots[::step], snapshots[-1]]}:
        own, other = ours(answers(server, name, at)), theirs(written, name, at)
        for fact, value in other.items():
            assert own[fact] == value, (name, at, fact)


def instant(text: str) -> str:
    """Truncate a time of Spark to milliseconds."""
    whole, _, fraction = text.partition(".")
    return f"{whole}.{fraction[:3].ljust(3, '0')}"


Plant = Callable[[Answers], None]


def plants() -> dict[str, Plant]:
    """Return changes that make a response wrong, by the fault that they represent."""

    def add(*path: str | int) -> Plant:
        def change(found: Answers) -> None:
            *outer, last = path
            inner: Any = found
            for part in outer:
                inner = inner[part]
            inner[last] += 1

        return change

    def move_bucket(found: Answers) -> None:
        for bucket in found["stats"]["file_size_histogram"]:
            bucket["from_bytes"] *= 2

    def count_vectors_as_positions(found: Answers) -> None:
        deletes = found["stats"]["deletes"]
        deletes["position_deletes"], deletes["deletion_vectors"] = (
            deletes["deletion_vectors"],
            deletes["position_deletes"],
        )

    def size_of_puffin(found: Answers) -> None:
        found["stats"]["deletes"]["deletion_vectors"]["bytes"] *= 2

    return {
        "a data file too many": add("stats", "totals", "data_files"),
        "records off by one": add("stats", "totals", "records"),
        "bytes off by one": add("stats", "totals", "bytes"),
        "a wrong histogram": move_bucket,
        "vectors counted as position deletes": count_vectors_as_positions,
        "a vector has the bytes of its file": size_of_puffin,
        "rows deleted off by one": add("stats", "deletes", "deletion_vectors", "records"),
        "a spec with a file too many": add("stats", "specs", 0, "files"),
        "a partition off by its deletes": add("partitions", 0, "position_delete_record_count"),
        "a partition with a file too many": add("partitions", 0, "file_count"),
        "a file is missing": lambda found: found["files"].pop(),
        "a delete file is called data": lambda found: next(
            row for row in found["files"] if row["content"] != "data"
        ).update(content="data"),
        "a manifest without its deleted entries": add("manifests", 0, "deleted_files_count"),
        "a partition's last commit is another's": lambda found: found["partitions"][0].update(
            last_updated_snapshot_id="1"
        ),
    }


@pytest.fixture(scope="module")
def marked(written: Spark, server: Running) -> tuple[Answers, Facts]:
    newest = server.rows("/tables/db.v3_marks/snapshots")[0]["snapshot_id"]
    return answers(server, "v3_marks", newest), theirs(written, "v3_marks", newest)


@pytest.mark.parametrize("fault", plants())
def test_a_wrong_figure_is_noticed(marked: tuple[Answers, Facts], fault: str) -> None:
    found, expected = copy.deepcopy(marked[0]), marked[1]
    assert ours(found) == expected
    plants()[fault](found)
    assert ours(found) != expected
