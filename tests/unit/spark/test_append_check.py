"""Snapshots that a stream skips, and snapshots that stop it."""

from __future__ import annotations

import pytest

from lakemuster.client import SnapshotInfo
from lakemuster.spark.append_check import check_appends, check_same
from lakemuster.spark.errors import NotAppendOnly


def snapshots(*operations: str, branch: str = "main") -> list[SnapshotInfo]:
    """Return consecutive snapshots 1, 2, 3 … with the given operations."""
    return [
        SnapshotInfo.of(
            {
                "snapshot_id": str(number),
                "parent_id": str(number - 1) if number > 1 else None,
                "committed_at": "2024-05-01T00:00:00Z",
                "operation": operation,
                "state": "published",
                "branch": branch,
            }
        )
        for number, operation in enumerate(operations, 1)
    ]


def test_appends_and_compactions_are_followed():
    check_appends("a.b", snapshots("overwrite", "append", "replace", "append"), 1, 4, frozenset())
    check_appends("a.b", snapshots("append"), 1, 1, frozenset())


@pytest.mark.parametrize(("operation", "option"), [("overwrite", "skip_overwrites"), ("delete", "skip_deletes")])
def test_other_changes_stop_it_unless_they_may_be_passed_over(operation, option):
    found = snapshots("append", operation, "append")
    with pytest.raises(
        NotAppendOnly, match=f"snapshot 2 is not an append but {operation}; option {option} passes over"
    ):
        check_appends("a.b", found, 1, 3, frozenset())
    check_appends("a.b", found, 1, 3, frozenset({operation}))


@pytest.mark.parametrize(("start", "end"), [(9, 2), (2, 1), (1, 9)])
def test_snapshots_that_do_not_follow_one_another_stop_it(start, end):
    with pytest.raises(NotAppendOnly, match="it has expired, or the table was rolled back"):
        check_appends("a.b", snapshots("append", "append"), start, end, frozenset())


def test_snapshots_of_other_branches_are_others():
    with pytest.raises(NotAppendOnly, match="is not an ancestor"):
        check_appends("a.b", snapshots("append", "append", branch="dev"), 1, 2, frozenset())


def name_of(row):
    return f"list-{row['snapshot_id']}-{row['branch']}"


def test_a_position_whose_id_is_another_snapshots_now_stops_it():
    with pytest.raises(NotAppendOnly, match="snapshot 2, the position of the stream, is another one now"):
        check_same("a.b", snapshots("append", "append"), 2, "list-2-before", name_of)


@pytest.mark.parametrize(("start", "identity"), [(2, "list-2-main"), (2, None), (9, "list-9-before")])
def test_a_position_that_is_the_same_or_not_known_does_not_stop_it(start, identity):
    others = snapshots("append", "append", branch="dev")
    check_same("a.b", [*others, *snapshots("append", "append")], start, identity, name_of)


def test_a_format_whose_ids_are_used_once_has_no_identities():
    check_same("a.b", snapshots("append", "append"), 2, None, lambda row: None)
