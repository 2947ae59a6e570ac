"""Requests of the Iceberg REST catalog."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.replay.asker import Asker
from tests.replay.exchanges import Request
from tests.replay.filters import NAN_MODES, Filters
from tests.replay.learned import Table

ROOT = "/iceberg/v1"
_PAGING = ("pageSize", "pageToken")
_CLIENTS: tuple[dict[str, str], ...] = (
    {},
    {"User_Agent": "PyIceberg/0.11.0"},
    {"X_Client_Version": "Apache Iceberg 1.11.0"},
    {"Idempotency_Key": "5f0c9a52-6f3e-4f9e-8f35-000000000000"},
)


def survey(asker: Asker, table: Table) -> None:
    """Send one request of each main kind."""
    asker.ask(Request.get(table.iceberg))
    asker.ask(Request.get(table.iceberg, {"snapshots": "refs"}))
    asker.ask(Request("HEAD", table.iceberg))
    if table.format == "iceberg":
        filters = Filters(asker.rng, table)
        asker.ask(Request.post(f"{table.iceberg}/plan", {}))
        asker.ask(Request.post(f"{table.iceberg}/plan", {"filter": filters.json(), "stats-fields": filters.names()}))


def catalog(asker: Asker) -> None:
    """Request the configuration, namespaces, or names of tables or views."""
    rng, table = asker.rng, asker.of_format()
    size = rng.choice((None, 1, 2, 100))
    paging: dict[str, object] = {"pageSize": size, "pageToken": "" if rng.random() < 0.7 else None}
    match rng.randrange(7):
        case 0:
            asker.ask(Request.get(f"{ROOT}/config", {"warehouse": rng.choice((None, "lake", "other"))}))
        case 1:
            parent = "\x1f".join(table.levels[: rng.randint(0, len(table.levels) - 1)]) or None
            asker.pages(f"{ROOT}/namespaces", {"parent": parent, **paging}, _PAGING, 3)
        case 2:
            asker.pages(f"{table.namespace}/tables", paging, _PAGING, 3)
        case 3:
            asker.pages(f"{table.namespace}/views", paging, _PAGING, 2)
        case 4:
            asker.ask(Request(rng.choice(("GET", "HEAD")), table.namespace))
        case 5:
            asker.ask(Request(rng.choice(("GET", "HEAD")), f"{table.namespace}/views/{quote(table.levels[-1])}"))
        case _:
            asker.ask(Request.get(f"{table.iceberg}/credentials"))


def load(asker: Asker) -> None:
    """Load a table's metadata, sometimes again with its ETag."""
    rng, table = asker.rng, asker.of_format("iceberg" if asker.rng.random() < 0.8 else None)
    snapshots = {"snapshots": rng.choice((None, "all", "refs"))}
    answer = asker.ask(Request.get(table.iceberg, snapshots))
    if (etag := answer.header("etag")) is not None and rng.random() < 0.4:
        asker.ask(Request.get(table.iceberg, snapshots, If_None_Match=rng.choice((etag, etag, '"none"'))))
    if rng.random() < 0.2:
        asker.ask(Request.post(f"{table.iceberg}/metrics", {"report-type": "scan-report", "table-name": table.name}))


def plan(asker: Asker) -> None:
    """Plan a scan, fetch its tasks, and sometimes fetch or cancel the plan."""
    rng, table = asker.rng, asker.of_format("iceberg" if asker.rng.random() < 0.85 else None)
    asked, client = _scan(asker, table), dict(rng.choices(_CLIENTS, (60, 15, 15, 10))[0])
    named = {**client, "Lakemuster_Nan": rng.choice(NAN_MODES)} if rng.random() < 0.3 else client
    answer = asker.ask(Request.post(f"{table.iceberg}/plan", asked, **named))
    plan_id, tasks = answer.get("plan-id"), answer.get("plan-tasks") or []
    for task in rng.sample(tasks, min(2, len(tasks))):
        asker.ask(Request.post(f"{table.iceberg}/tasks", {"plan-task": task}, **client))
    if plan_id and rng.random() < 0.4:
        target = f"{table.iceberg}/plan/{quote(plan_id, safe='')}"
        asker.ask(Request.get(target, None, **client))
        if rng.random() < 0.4:
            asker.ask(Request("DELETE", target))


def _scan(asker: Asker, table: Table) -> dict[str, Any]:
    rng, filters = asker.rng, Filters(asker.rng, table)
    asked: dict[str, Any] = {}
    if rng.random() < 0.8:
        asked["filter"] = filters.json() if rng.random() < 0.95 else rng.choice((True, False))
    match rng.randrange(5):
        case 0 | 1 if table.snapshots:
            asked["snapshot-id"] = int(rng.choice(table.snapshots))
        case 2 if table.snapshots:
            first, last = sorted(rng.choices(range(len(table.snapshots)), k=2))
            asked["start-snapshot-id"] = int(table.snapshots[first])
            asked["end-snapshot-id"] = int(table.snapshots[last])
    if rng.random() < 0.3:
        asked["select"] = [*filters.names(), *rng.choice(((), ("_last_updated_sequence_number",), ("_row_id",)))]
    if rng.random() < 0.3:
        asked["stats-fields"] = filters.names()
    if rng.random() < 0.15:
        asked["min-rows-requested"] = rng.choice((0, 1, 100))
    for name, chance in (("use-snapshot-schema", 0.15), ("case-sensitive", 0.1)):
        if rng.random() < chance:
            asked[name] = rng.random() < 0.5
    return asked
