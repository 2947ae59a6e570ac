"""Documents of any writer as JSON, and as Arrow rows."""

from __future__ import annotations

import orjson
import pytest

from lakemuster.wire.documents import REFS, SNAPSHOTS, document_batch, dumps, plain


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2**53, 2**53),
        (2**53 + 1, str(2**53 + 1)),
        (-(2**70), str(-(2**70))),
        (True, True),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (b"\x01\xff", "01ff"),
        ("a\ud800b", "a\ufffdb"),
        ({"k": [2**60, {"n": None}], 5: "x"}, {"k": [str(2**60), {"n": None}], "5": "x"}),
    ],
)
def test_values_of_any_writer_become_json(value: object, expected: object) -> None:
    assert orjson.loads(orjson.dumps(plain(value))) == expected


def test_a_lone_surrogate_does_not_stop_an_answer() -> None:
    assert orjson.loads(dumps({"summary": {"user": "\ud83d"}})) == {"summary": {"user": "\ufffd"}}


def test_documents_are_rows_and_further_keys_stay_together() -> None:
    ref = {"name": "main", "type": "branch", "snapshot_id": "5", "branch": "main", "max_ref_age_ms": 7}
    (row,) = document_batch([ref], REFS).to_pylist()
    assert row == {
        "name": "main",
        "type": "branch",
        "snapshot_id": 5,
        "branch": "main",
        "extra": '{"max_ref_age_ms":7}',
    }


def test_nested_keys_become_maps_and_json_text() -> None:
    document = {
        "snapshot_id": "1",
        "committed_at": "2024-05-01T00:00:00.000Z",
        "summary": {"added-records": "3"},
        "manifest_lists": [{"role": "base"}],
    }
    (row,) = document_batch([document], SNAPSHOTS).to_pylist()
    assert row["summary"] == [("added-records", "3")]
    assert row["manifest_lists"] == '[{"role":"base"}]'
    assert row["committed_at"].isoformat() == "2024-05-01T00:00:00+00:00"
    assert row["parent_id"] is None
