"""Lists have the same rows as pypaimon's system tables, on tables that pypaimon wrote."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.journey.servers import Running, lakemuster, served

SCRIPT = Path(__file__).with_name("pypaimon_tables.py")
Answers = dict[str, dict[str, list[dict[str, Any]]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pypaimon-lake")


@pytest.fixture(scope="module")
def theirs(folder: Path, run_pypaimon: Callable[..., Any]) -> Answers:
    answers: Answers = run_pypaimon(SCRIPT, warehouse=str(folder / "lake"))
    return answers


@pytest.fixture(scope="module")
def running(folder: Path, theirs: Answers) -> Iterator[Running]:
    found = lakemuster(folder, "discover", str(folder / "lake"))
    assert found.returncode == 0, found.stderr
    with served(folder) as server:
        yield server


def shown(partition: dict[str, Any]) -> str | None:
    return "/".join(f"{name}={value}" for name, value in partition.items()) or None


def instant(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=None)


def test_snapshots_are_those_of_pypaimon(running: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        ours = running.rows(f"/tables/{name}/snapshots", order="asc")
        assert len(ours) == 3
        for one, other in zip(ours, answers["snapshots"], strict=True):
            assert one["snapshot_id"] == str(other["snapshot_id"])
            assert instant(one["committed_at"]) == instant(other["commit_time"])
            assert int(one["commit_identifier"]) == other["commit_identifier"]
            for member in (
                "schema_id",
                "commit_user",
                "commit_kind",
                "total_record_count",
                "delta_record_count",
                "changelog_record_count",
                "watermark",
                "next_row_id",
                "writer_version",
            ):
                assert one.get(member) == other[member], (name, member)
            assert one["state"] == "published"


def test_manifests_are_those_of_pypaimon(running: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        ours = running.rows(f"/tables/{name}/manifests")
        assert [row["manifest_path"].rsplit("/", 1)[-1] for row in ours] == [
            r["file_name"] for r in answers["manifests"]
        ]
        for one, other in zip(ours, answers["manifests"], strict=True):
            assert one["manifest_length"] == other["file_size"]
            assert one["added_files_count"] == other["num_added_files"]
            assert one["deleted_files_count"] == other["num_deleted_files"]
            assert (one["schema_id"], one["min_row_id"], one["max_row_id"]) == (
                other["schema_id"],
                other["min_row_id"],
                other["max_row_id"],
            )
            for side in ("lower", "upper"):
                text = other["min_partition_stats" if side == "lower" else "max_partition_stats"]
                bounds = [summary.get(f"{side}_bound") for summary in one["partitions"].values()]
                assert "{" + ", ".join(str(bound) for bound in bounds) + "}" == text


def value(text: Any, of: Any) -> Any:
    """Convert a JSON cell of pypaimon to the form of the API."""
    if isinstance(of, str) and isinstance(text, str) and "T" in text and text[:4].isdigit():
        return dt.datetime.fromisoformat(text).isoformat(timespec="microseconds")
    return text


def test_files_are_those_of_pypaimon(running: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        ours = {row["file_name"]: row for row in running.rows(f"/tables/{name}/files", stats="*")}
        assert sorted(ours) == sorted(Path(row["file_path"]).name for row in answers["files"])
        for other in answers["files"]:
            one = ours[Path(other["file_path"]).name]
            assert Path(one["file_path"].removeprefix("file://")).is_file()
            assert shown(one["partition"]) == other["partition"]
            for member in (
                "bucket",
                "file_format",
                "schema_id",
                "level",
                "record_count",
                "file_size_in_bytes",
                "min_sequence_number",
                "max_sequence_number",
                "first_row_id",
                "write_cols",
            ):
                assert one[member] == other[member], (name, member)
            assert one["delete_row_count"] == other["deleteRowCount"]
            assert one["file_source"] == {"0": "append", "1": "compact"}[other["file_source"]]
            # The type of pypaimon's column has milliseconds, its values have whole seconds.
            assert instant(one["creation_time"]).replace(microsecond=0) == instant(other["creation_time"]).replace(
                microsecond=0
            )
            for side, keys in (("lower_bounds", "min_value_stats"), ("upper_bounds", "max_value_stats")):
                compare_statistics(one[side], json.loads(other[keys]), (name, side))
            counts = {key: count for key, count in json.loads(other["null_value_counts"]).items() if count is not None}
            assert one["null_value_counts"] == counts
            for side in ("min_key", "max_key"):
                recorded = json.loads(other[side]) if other[side] else []
                assert list(one[side].values()) == recorded


def compare_statistics(ours: dict[str, Any], theirs: dict[str, Any], where: object) -> None:
    recorded = {key: cell for key, cell in theirs.items() if cell is not None}
    assert set(ours) == set(recorded), where
    for key, cell in recorded.items():
        match key:
            case "blob":
                # pypaimon shows bytes that are valid UTF-8 as text.
                assert bytes.fromhex(ours[key]) == (bytes.fromhex(cell) if is_hex(cell) else cell.encode())
            case "price" | "wide":
                assert Decimal(ours[key]) == Decimal(cell)
            case "ratio" | "score" | "amount":
                assert ours[key] == pytest.approx(cell)
            case _:
                assert ours[key] == value(cell, ours[key]), (where, key)


def is_hex(text: str) -> bool:
    try:
        bytes.fromhex(text)
    except ValueError:
        return False
    return True


def test_partitions_are_those_of_pypaimon(running: Running, theirs: Answers) -> None:
    for name, answers in theirs.items():
        ours = {shown(row["partition"]): row for row in running.rows(f"/tables/{name}/partitions")}
        assert set(ours) == {row["partition"] or None for row in answers["partitions"]}
        for other in answers["partitions"]:
            one = ours[other["partition"] or None]
            assert one["record_count"] == other["record_count"]
            assert one["file_count"] == other["file_count"]
            assert one["total_data_file_size_in_bytes"] == other["file_size_in_bytes"]
            assert instant(one["last_updated_at"]) == instant(other["last_update_time"])


def test_tags_are_those_of_pypaimon(running: Running, theirs: Answers) -> None:
    refs = {ref["name"]: ref for ref in running.rows("/tables/db.parted/refs")}
    (tag,) = theirs["db.parted"]["tags"]
    assert refs[tag["tag_name"]]["snapshot_id"] == str(tag["snapshot_id"])
    files = running.rows("/tables/db.parted/files", ref="kept")
    assert sum(row["record_count"] for row in files) == tag["record_count"]
