"""Responses of every operation of the native API, about every snapshot of every real table, are valid for
``openapi.yaml``, and the document is no looser than the responses.
"""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.journey.native_answers import PREFIX, TABLE, Answer, Asker, answers_of_lists, answers_of_table
from tests.journey.real_lakes import discovered
from tests.journey.response_models import Document, Seen
from tests.journey.servers import lakemuster, served
from tests.openapi_yaml import read
from tests.polling import until
from tests.tree import ROOT
from tests.webhook_receiver import SECRET, Verdict, receiving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

NOT_JSON = {("GET", "/metrics"), ("GET", "/api/v1/references")}
"""Operations whose responses are text or a stream."""
HOOK = "/api/v1/webhooks/{webhook}"
ALSO = ("/healthz", "/readyz", "/metrics")


@pytest.fixture(scope="module")
def answers(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    """Responses of a server with the real tables and an attached Paimon warehouse."""
    folder = tmp_path_factory.mktemp("models")
    lake = discovered(lakes, folder)
    assert lakemuster(folder, "refresh", "--all", HISTORY="1000").returncode in (0, 1)
    warehouse = folder / "warehouse"
    table = warehouse / "shop.db" / "orders"
    shutil.copytree(lake / "paimon" / "parquet" / "pk_09.db" / "pk_09", table)
    catalogs = {"attached": {"type": "paimon", "warehouse": str(warehouse), "roots": [str(warehouse)]}}
    more = {"CATALOGS": json.dumps(catalogs), "ROOTS": json.dumps([str(folder)])}
    more["TABLES"] = json.dumps({"*": {"partition_ready": {"quiet": "1s"}, "watch": False}})
    with receiving(lambda _: Verdict(status=500)) as receiver:
        hook = {"url": receiver.url, "secret": SECRET, "max_tries": 1, "types": ["table.registered"]}
        more["WEBHOOKS"] = json.dumps({"refusing": hook})
        with served(folder, HISTORY="1000", MAX_STALENESS="600", **more) as running:
            names = [row["name"] for row in running.rows("/tables")]
            until(lambda: any(running.rows(f"/tables/{name}/ready_partitions") for name in names))
            return list(asked(Asker(running), lake, names))


def asked(ask: Asker, lake: Path, names: list[str]) -> Iterator[Answer]:
    """Call every operation; those with side effects come last."""
    yield ask("POST", f"{PREFIX}/catalogs/{{catalog}}/sync", catalog="attached")
    yield from answers_of_lists(ask)
    for name in names:
        yield from answers_of_table(ask, name)
    yield ask("POST", f"{TABLE}/refresh", table=names[0])
    yield ask("GET", TABLE, table="no.such.table")
    new = {"name": "again.pk_09", "location": str(lake / "paimon" / "parquet" / "pk_09.db" / "pk_09")}
    yield ask("POST", f"{PREFIX}/tables", new)
    # Nothing is indexed yet: figures are null.
    yield ask("GET", f"{PREFIX}/tables", search="again")
    yield ask("GET", f"{TABLE}/timeline", table="again.pk_09")
    yield ask("DELETE", TABLE, table="again.pk_09")
    until(lambda: has_dead_letters(ask("GET", f"{PREFIX}/webhooks")))
    yield ask("GET", f"{PREFIX}/webhooks")
    yield ask("GET", f"{HOOK}/dead_letters", webhook="refusing")
    yield ask("POST", f"{HOOK}/redeliver", {}, webhook="refusing")
    yield ask("GET", f"{PREFIX}/events", after="0")


def has_dead_letters(answer: Answer) -> bool:
    return any(int(hook["dead_letters"]) for hook in answer.body["webhooks"])


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return read((ROOT / "openapi.yaml").read_text("utf-8"))


def test_every_operation_has_answered(answers: list[Answer], plain: dict[str, Any]) -> None:
    done = {answer.operation for answer in answers if answer.status < 400}
    assert done == Document(plain).operations(f"{PREFIX}/", *ALSO) - NOT_JSON
    assert not [answer for answer in answers if answer.status >= 500]
    assert len(answers) > 2000


def test_every_answer_is_what_the_document_says(answers: list[Answer], plain: dict[str, Any]) -> None:
    assert not list(Document(plain).broken(answers))[:20]


@pytest.fixture(scope="module")
def seen(answers: list[Answer], plain: dict[str, Any]) -> Seen:
    return Seen(Document(plain), answers)


def test_an_optional_member_is_absent_somewhere(seen: Seen) -> None:
    assert not seen.required_in_fact()
    assert sum(count["absent"] > 0 for count in seen.members.values()) > 20


def test_every_value_has_a_type(seen: Seen) -> None:
    defaults = {f"SchemaFieldOut.{kind}-default" for kind in ("initial", "write")}
    # An error has additional members that depend on its code.
    assert {place for place in seen.untyped if not place.startswith("ErrorOut+")} <= defaults | {
        "SnapshotOut+log_offsets"
    }


PARTLY = {"Partition.last_updated_at"}
"""An instant for Iceberg, a wall-clock time without a zone for Paimon."""


def test_instants_have_their_format(seen: Seen) -> None:
    assert seen.instants == PARTLY


UNSEEN = {
    "RefOut": {
        "max_ref_age_ms",
        "max_snapshot_age_ms",
        "min_snapshots_to_keep",
        "tag_create_time",
        "tag_time_retained",
    },
    "SnapshotOut": {"first_row_id", "added_rows", "key_id"},
    "StructTypeOut": {"text"},
    "ListTypeOut": {"text"},
    "MapTypeOut": {"text"},
}
"""Members that no real table has."""


def test_every_member_is_there_somewhere(seen: Seen) -> None:
    missing = seen.never_there()
    assert not {(name, member) for name, member in missing if member not in UNSEEN.get(name, ())}


Plant = Callable[[dict[str, Any]], None]


def planted() -> dict[str, Plant]:
    """Return changes that make response models wrong, by their fault."""

    def members(document: dict[str, Any], name: str) -> dict[str, Any]:
        found: dict[str, Any] = document["components"]["schemas"][name]["properties"]
        return found

    def respond(document: dict[str, Any], path: str, name: str) -> None:
        content = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
        content["schema"] = {"$ref": f"#/components/schemas/{name}"}

    return {
        "a member is not named": lambda d: members(d, "PartitionsPage").pop("not_applied"),
        "null is not allowed": lambda d: members(d, "TableOut").update(total_records={"type": "integer"}),
        "an optional member is required": lambda d: d["components"]["schemas"]["IcebergFile"]["required"].append(
            "lower_bounds"
        ),
        "a required member is optional": lambda d: d["components"]["schemas"]["StatsOut"]["required"].remove("totals"),
        "a value of an enumeration is left out": lambda d: members(d, "SnapshotOut")["state"]["enum"].remove(
            "published"
        ),
        "an id is a number": lambda d: members(d, "SnapshotOut").update(snapshot_id={"type": "integer"}),
        "an instant has no format": lambda d: members(d, "CommitOut").update(committed_at={"type": "string"}),
        "a wall-clock time is an instant": lambda d: members(d, "Partition").update(
            last_updated_at={"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}
        ),
        "a list is of other rows": lambda d: respond(d, f"{TABLE}/manifests", "EntriesPage"),
        "a figure is an object": lambda d: respond(d, f"{TABLE}/stats", "ExpiryOut"),
        "a value has no type": lambda d: members(d, "ColumnOut").update(lower_bound={}),
        "a member is not there": lambda d: members(d, "TimelinePage").update(next={"type": "string"}),
        "a status is not documented": lambda d: d["paths"][f"{TABLE}/snapshots"]["get"]["responses"].pop("409"),
        "an answer to POST has another model": lambda d: d["paths"][f"{TABLE}/refresh"]["post"]["responses"]["200"][
            "content"
        ]["application/json"].update(schema={"$ref": "#/components/schemas/TableOut"}),
    }


@pytest.mark.parametrize("fault", planted())
def test_a_wrong_model_is_noticed(answers: list[Answer], plain: dict[str, Any], seen: Seen, fault: str) -> None:
    wrong = copy.deepcopy(plain)
    planted()[fault](wrong)
    document = Document(wrong)
    if next(document.broken(answers), None) is None:
        now = Seen(document, answers)
        found = [now.required_in_fact(), now.never_there() - seen.never_there()]
        assert any([*found, now.instants - PARTLY, now.untyped - seen.untyped])
