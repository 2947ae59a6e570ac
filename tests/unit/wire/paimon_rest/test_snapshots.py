"""Snapshots and tags in the protocol's JSON equal their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakemuster.formats.paimon.table_metadata import parse_snapshot, parse_tag
from lakemuster.metadata.snapshot import Ref
from lakemuster.wire.paimon_rest.snapshots import snapshot_json, tag_json


def test_every_real_snapshot_and_tag(lakes: Path) -> None:
    snapshots = sorted((lakes / "paimon").rglob("snapshot/snapshot-*"))
    tags = sorted((lakes / "paimon").rglob("tag/tag-*"))
    assert len(snapshots) >= 46
    for file in snapshots:
        document = {key: value for key, value in json.loads(file.read_text()).items() if value is not None}
        assert snapshot_json(parse_snapshot(file.read_bytes())) == document, file
    for file in tags:
        document = {key: value for key, value in json.loads(file.read_text()).items() if value is not None}
        tag, snapshot = parse_tag(file.read_bytes(), file.name.removeprefix("tag-"))
        told = tag_json(tag, snapshot)
        assert told["snapshot"] == {key: value for key, value in document.items() if not key.startswith("tag")}
        assert told["tagName"] == tag.name


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "PT0S"),
        (259200.0, "PT72H"),
        ("259200.000000000", "PT72H"),
        (90061, "PT25H1M1S"),
        (60.5, "PT1M0.5S"),
        (0.000000001, "PT0.000000001S"),
        (100, "PT1M40S"),
        ("P1D", "P1D"),
        (-1, "-1"),
    ],
)
def test_durations_are_spelled_as_java_does(seconds: object, text: str) -> None:
    snapshot = parse_snapshot(SNAPSHOT)
    assert tag_json(Ref("t", "tag", 1, extra={"tag_time_retained": seconds}), snapshot)["tagTimeRetained"] == text


@pytest.mark.parametrize(
    ("local", "milliseconds"),
    [
        ("1970-01-01T00:00:00", 0),
        ("2026-05-01T12:30:15.250000001", 1777638615250),
        ("2026-05-01T12:30:15.25", 1777638615250),
        ("one day", None),
        (None, None),
    ],
)
def test_the_time_of_a_tag(local: object, milliseconds: int | None) -> None:
    snapshot = parse_snapshot(SNAPSHOT)
    assert tag_json(Ref("t", "tag", 1, extra={"tag_create_time": local}), snapshot)["tagCreateTime"] == milliseconds


SNAPSHOT = json.dumps(
    {"id": 1, "schemaId": 0, "baseManifestList": "b", "deltaManifestList": "d", "timeMillis": 5}
).encode()
