"""Options of the data source: parsed from strings, refused if invalid, and shown without secrets."""

from __future__ import annotations

import pickle

import pytest

from lakemuster.client import ClientError
from lakemuster.spark.errors import NotAppendOnly, OptionInvalid, PlanOutdated, RefMoved, SnapshotReplaced
from lakemuster.spark.options import Options

GIVEN = {"uri": "http://127.0.0.1:8181", "path": "shop.orders"}


def test_names_come_in_any_case_and_values_are_read():
    options = Options.of(
        {**GIVEN, "SnapShot_ID": "7", "COLUMNS": "id, name", "limit": "5", "Skip_Deletes": "TRUE", "START": "Latest"}
    )
    assert (options.uri, options.table, options.snapshot_id) == ("http://127.0.0.1:8181", "shop.orders", 7)
    assert (options.columns, options.limit, options.start) == (("id", "name"), 5, "latest")
    assert options.skipped == {"delete"}
    assert not options.pushdown
    assert options.nan == "greatest"
    assert Options.of({**GIVEN, "NaN": "Unordered"}).nan == "unordered"
    assert Options.of({**GIVEN, "columns": '["a,b", "c"]'}).columns == ("a,b", "c")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"uri": " "}, "option uri is empty"),
        ({"unknown": "1"}, "option unknown is not an option"),
        ({"paths": '["a", "b"]'}, "option path is one table"),
        ({"location": "/warehouse/t"}, "CREATE TABLE"),
        ({"token": "hush"}, "option token would be written"),
        ({"snapshot_id": "x"}, "option snapshot_id is a whole number, not 'x'"),
        ({"ref": "a", "as_of": "2024-01-01"}, "option as_of and ref exclude each other"),
        ({"nan": "some"}, "option nan is one of greatest, unordered, any, none, not 'some'"),
        ({"limit": "0"}, "option limit is at least 1, not 0"),
        ({"task_threshold": "-1"}, "option task_threshold is not negative"),
        ({"columns": ","}, "option columns is names"),
        ({"columns": "a,a"}, "option columns names a column twice"),
        ({"columns": "[1]"}, "option columns is names"),
        ({"columns": "["}, "option columns is names"),
        ({"start": "first"}, "option start is full or latest"),
        ({"start": "full", "start_snapshot_id": "1"}, "exclude each other"),
        ({"skip_deletes": "yes"}, "option skip_deletes is true or false"),
    ],
)
def test_refused(more, words):
    with pytest.raises(OptionInvalid) as refusal:
        Options.of({**GIVEN, **more})
    assert words in str(refusal.value)
    assert "hush" not in str(refusal.value)


@pytest.mark.parametrize("missing", ["uri", "path"])
def test_the_server_and_the_table_are_needed(missing):
    with pytest.raises(OptionInvalid, match=f"option {missing} is needed"):
        Options.of({name: text for name, text in GIVEN.items() if name != missing})


def test_the_token_is_not_in_what_is_pickled(monkeypatch):
    monkeypatch.setenv("OF_THE_LAKE", "hush-hush")
    options = Options.of({**GIVEN, "token_env": "OF_THE_LAKE"})
    with options.client():
        assert b"hush-hush" not in pickle.dumps(options)
    monkeypatch.delenv("OF_THE_LAKE")
    with pytest.raises(OptionInvalid, match="OF_THE_LAKE is not set in this process"):
        options.client()


def test_the_token_file_is_named_and_not_read_before_a_request(tmp_path):
    place = tmp_path / "token"
    options = Options.of({**GIVEN, "token_file": str(place)})
    with options.client() as client, pytest.raises(ClientError, match="no token in the file"):
        list(client.tables())
    place.write_text("hush-hush")
    with options.client():
        assert b"hush-hush" not in pickle.dumps(options)
    with pytest.raises(OptionInvalid, match="token_file and token_env exclude each other"):
        Options.of({**GIVEN, "token_file": str(place), "token_env": "OF_THE_LAKE"}).client()


def test_an_address_that_is_none():
    with pytest.raises(OptionInvalid, match="option uri is not a server's address"):
        Options.of({**GIVEN, "uri": "lake:8181"}).client()


@pytest.mark.parametrize(
    "error",
    [
        OptionInvalid("limit", "is odd"),
        RefMoved("a.b", "main", 1, 2),
        SnapshotReplaced("a.b", 2),
        PlanOutdated("a.b"),
        NotAppendOnly("a.b", "it moved", "delete"),
    ],
)
def test_errors_survive_the_way_from_a_worker(error):
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(("name", "value"), [("start", "latest"), ("start_snapshot_id", "7")])
def test_a_batch_does_not_ignore_where_a_stream_would_start(name, value):
    with pytest.raises(OptionInvalid, match=f"option {name} is of streams"):
        Options.of({**GIVEN, name: value}).check_batch()
    Options.of({**GIVEN, "start": "full", "skip_deletes": "true"}).check_batch()
