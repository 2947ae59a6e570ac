"""The reason stored for a quarantined snapshot."""

from __future__ import annotations

import pytest

from lakemuster.errors import LocationRefused, ObjectMissing
from lakemuster.ingest.quarantine_reasons import of_list
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.storage.locations import Roots

OLD, NEW = "file:///old/t/snap-1.avro", "/new/t/snap-1.avro"
SNAPSHOT = Snapshot(1, 0, ())


def refused(location: str) -> LocationRefused:
    with pytest.raises(LocationRefused) as told:
        Roots.of(["/lake"], "/").admit(location)
    return told.value


def test_a_refused_location_is_named_once_with_the_remedies() -> None:
    reason = of_list(refused(OLD), OLD, OLD, SNAPSHOT)
    assert type(reason) is LocationRefused
    assert reason.message.count(OLD) == 1
    assert reason.message.endswith("(manifest list of snapshot 1)")
    assert all(remedy in reason.message for remedy in ("ROOTS", "a catalog's roots", "--rewrite OLD=NEW"))


def test_a_refused_location_that_was_rewritten_is_shown_as_recorded_too() -> None:
    reason = of_list(refused(NEW), NEW, OLD, SNAPSHOT).message
    assert (reason.count(OLD), reason.count(NEW)) == (1, 1)


def test_other_failures_name_the_object_and_what_was_expected() -> None:
    reason = of_list(ObjectMissing("no such object"), NEW, OLD, SNAPSHOT, 5).message
    expected = "expected a manifest list of 5 bytes"
    assert reason == f"no such object (object {NEW}, manifest list {OLD} of snapshot 1, {expected})"
