"""Paimon's system tables over HTTP have the rows and types of Java's, on tables that Java wrote.

Rows with equal keys are compared in any order. Accepted differences are stated where values are compared.
"""

from __future__ import annotations

import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from lakemuster.planner.paimon.system.tables import SYSTEM_TABLES
from tests.journey.paimon_java.tables import KINDS
from tests.journey.servers import Running, served
from tests.paimon_java import Paimon, PaimonFailed

TABLES = (
    "append_parts",
    "append_odd_parts",
    "append_overwritten",
    "append_vectors",
    "append_vectors_buckets",
    "stats_mixed",
    "stats_truncate",
    "stats_none",
    "keyed_compacted",
    "keyed_parts",
    "keyed_rescaled",
    "vectors_64",
    "aggregation",
    "dynamic",
    "changelog_lookup",
    "branched",
    "evolved_unwritten",
    "evolved_keyed",
    "data_evolution",
)
LATER = {
    "snapshots": ["operation", "writer_version"],
    "partitions": ["total_buckets", "done", "deleted_record_count"],
    "table_indexes": ["row_range_start", "row_range_end", "index_field_id", "index_field_name"],
}
"""Columns that newer releases of Paimon append."""
IN_JSON = frozenset({"fields", "partition_keys", "primary_keys"})
STATISTICS = frozenset({"null_value_counts", "min_value_stats", "max_value_stats"})


@pytest.fixture(scope="module")
def server(java_paimon: Paimon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with served(tmp_path_factory.mktemp("system-server"), ROOTS=f'["{java_paimon.lake}"]') as running:
        yield running


@pytest.fixture(scope="module", params=TABLES)
def table(request: pytest.FixtureRequest, java_paimon: Paimon, server: Running) -> str:
    """The name of a table written by Java and registered with the server."""
    made, name = KINDS[request.param], f"system_{request.param}"
    java_paimon.ask("create", **made.created(name))
    for action, arguments in made.steps:
        java_paimon.ask(action, table=name, **arguments)
    server.post("/tables", {"name": f"db.{name}", "location": str(java_paimon.lake / "db.db" / name)}, 201)
    return name


def ours(server: Running, table: str, system: str, **params: str) -> pa.Table:
    answer = server.http.get(
        f"/api/v1/tables/db.{table}/system/{system}",
        params=params,
        headers={"Accept": "application/vnd.apache.arrow.stream"},
    )
    assert answer.status_code == 200, answer.text[:500]
    return pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()


def plain(value: Any, name: str = "") -> Any:
    """Convert a value of the server to Java's text form."""
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return [list(map(plain, one.values())) if isinstance(one, dict) else plain(one) for one in value]
    if hasattr(value, "isoformat"):
        # java.time omits zero seconds and fractions.
        text = value.isoformat(timespec="milliseconds")
        return text.removesuffix(":00.000") if text.endswith(":00.000") else text.removesuffix(".000")
    return located(str(value)) if name == "file_path" else str(value)


def located(path: str) -> str:
    return re.sub("^file:/+", "/", path)


def is_same(name: str, one: Any, other: Any) -> bool:
    if isinstance(other, str) and "[B@" in other:
        # Java prints the array's identity instead of its bytes.
        return re.fullmatch(re.sub(r"\\\[B@[0-9a-f]+", "[0-9a-f]*", re.escape(other)), one) is not None
    if name in IN_JSON or (name == "options" and isinstance(other, str) and other.startswith("{")):
        return bool(json.loads(one) == json.loads(other))
    if name in ("function", "function_options"):
        # Java prints maps in hash order.
        return sorted(one[1:-1].split(", ")) == sorted(other[1:-1].split(", "))
    return bool(one == (located(other) if name == "file_path" else other))


def compare(table: str, system: str, mine: pa.Table, theirs: list[list[Any]]) -> None:
    names, keys = mine.column_names[: len(mine.column_names) - len(LATER.get(system, []))], SYSTEM_TABLES[system].key
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in mine.to_pylist():
        found[tuple(plain(row[key], key) for key in keys)].append(row)
    assert mine.num_rows == len(theirs), (table, system)
    for cells in theirs:
        other = dict(zip(names, cells, strict=True))
        # Partitions of null and of blank text have the same text.
        some = found[tuple(located(other[key]) if key == "file_path" else other[key] for key in keys)]
        same = [one for one in some if not differences(table, one, other)]
        assert same, (table, system, other, [differences(table, one, other) for one in some])
        some.remove(same[0])


def differences(table: str, one: dict[str, Any], other: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the cells that differ from Java's and are no accepted difference."""
    unlike = {
        name: (one[name], cell) for name, cell in other.items() if not is_same(name, plain(one[name], name), cell)
    }
    if table.endswith("_unwritten") or other.get("write_cols") is not None:
        # The server uses the snapshot's schema, Java the newest one. This release of Paimon also assigns the statistics
        # of a file with few columns to the table's first columns; a later one corrects that.
        unlike = {name: cells for name, cells in unlike.items() if name not in STATISTICS}
    return unlike


def rows(java: Paimon, table: str, system: str, **options: str) -> list[list[Any]] | None:
    """Return Java's rows; None where Java itself fails."""
    if (table, system) == ("system_append_odd_parts", "partitions"):
        # Java parses the names of partition folders, and fails for timestamps.
        with pytest.raises(PaimonFailed, match="DateTimeParseException"):
            java.ask("rows", table=table, system=system, options=options)
        return None
    found: list[list[Any]] = java.ask("rows", table=table, system=system, options=options)
    return found


def test_all_of_them(table: str, server: Running, java_paimon: Paimon) -> None:
    for system, of in SYSTEM_TABLES.items():
        columns = dict(java_paimon.ask("columns", table=table, system=system))
        later = LATER.get(system, [])
        assert list(columns.items()) == list(of.columns)[: len(of.columns) - len(later)], system
        assert [name for name, _ in of.columns if name not in columns] == later
        mine, theirs = ours(server, table, system), rows(java_paimon, table, system)
        if theirs is not None:
            compare(table, system, mine, theirs)


def test_those_of_a_snapshot(table: str, server: Running, java_paimon: Paimon) -> None:
    for number, *_ in java_paimon.ask("rows", table=table, system="snapshots")[-3:-1]:
        for system, of in SYSTEM_TABLES.items():
            # Java's ``$buckets`` always shows the newest snapshot.
            if of.of == "snapshot" and system != "buckets":
                mine = ours(server, table, system, snapshot=number)
                theirs = rows(java_paimon, table, system, **{"scan.snapshot-id": number})
                if theirs is not None:
                    compare(table, system, mine, theirs)
