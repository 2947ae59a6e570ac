"""Requests that change the catalog: they register tables under other names, refresh, query and remove them."""

from __future__ import annotations

from typing import Any

from tests.replay import iceberg, native, paimon
from tests.replay.asker import Asker
from tests.replay.exchanges import Request
from tests.replay.filters import Filters
from tests.replay.growing import GROW
from tests.replay.learned import Table, token_of


def refresh(asker: Asker) -> None:
    """Refresh a table."""
    asker.become(asker.rng.choice(("indexer", "keeper", "everything")))
    asker.ask(Request("POST", f"{asker.of_format().native}/refresh"))


def register(asker: Asker) -> None:
    """Register a known table under another name, query it, and remove it."""
    rng, known = asker.rng, asker.of_format()
    asker.become("keeper")
    name = f"again.{rng.choice(('one', 'two', 'three'))}.{known.levels[-1]}"
    asked: dict[str, Any] = {"name": name, "location": known.location}
    if rng.random() < 0.4:
        asked["format"] = known.format
    found = asker.ask(Request.get(known.native))
    if found.get("rewrite"):
        asked["rewrite"] = found.get("rewrite")
    asker.ask(Request.post("/api/v1/tables", asked))
    if rng.random() < 0.3:
        asker.ask(Request.post("/api/v1/tables", asked))
    made = Table(name, known.format, known.location)
    if rng.random() < 0.6:
        asker.ask(Request("POST", f"{made.native}/refresh"))
    if rng.random() < 0.5:
        native.survey(asker, made)
        (iceberg if made.format == "iceberg" else paimon).survey(asker, made)
    else:
        made.columns, made.values = dict(known.columns), dict(known.values)
        asker.ask(Request.post(f"{made.native}/plan", {"filter": Filters(rng, made).sql()}))
        asker.ask(Request.get(f"{made.native}/files", {"page_size": 2}))
    asker.ask(Request("DELETE", made.native))
    asker.ask(Request.get(f"{made.native}/files"))
    if rng.random() < 0.3:
        asker.ask(Request("DELETE", made.native))


def grown(asker: Asker) -> None:
    """Query a table that has a new snapshot at every look; a list continues in the snapshot in which it began."""
    rng, growing = asker.rng, asker.rng.choice(asker.growing)
    asker.become("keeper")
    table = Table(f"again.grown.{growing.name}", growing.format, growing.location)
    asked: dict[str, Any] = {"name": table.name, "location": table.location}
    if growing.format == "iceberg":
        asked["rewrite"] = [{"old": growing.recorded, "new": growing.location}]
    asker.ask(Request(GROW, f"/{growing.name}/young"))
    asker.ask(Request.post("/api/v1/tables", asked))
    for _ in range(rng.randint(1, growing.steps)):
        page = asker.ask(Request.get(f"{table.native}/entries", {"page_size": 1}))
        table.learn(asker.ask(Request.get(f"{table.native}/schemas")))
        table.learn(asker.ask(Request.get(f"{table.native}/files", {"stats": "*"})))
        asker.ask(Request(GROW, f"/{growing.name}/next"))
        asker.ask(Request("POST", f"{table.native}/refresh"))
        table.learn(asker.ask(Request.get(f"{table.native}/snapshots")))
        asker.ask(Request.post(f"{table.native}/plan", {"filter": Filters(rng, table).sql()}))
        if (token := token_of(page)) is not None:
            asker.ask(Request.get(f"{table.native}/entries", {"page_size": 1000, "page_token": token}))
        asker.ask(Request.post(f"{table.native}/plan", {"start_snapshot_id": (table.snapshots or ["1"])[0]}))
        asker.ask(Request.get(table.iceberg if table.format == "iceberg" else f"{table.paimon}/snapshot"))
    native.survey(asker, table)
    (iceberg if table.format == "iceberg" else paimon).survey(asker, table)
    asker.ask(Request("DELETE", table.native))


def refused(asker: Asker) -> None:
    """Send registrations and removals that are refused for their caller, location or body."""
    rng, known = asker.rng, asker.of_format()
    asker.become(rng.choice(("keeper", "keeper", "everything", "indexer", "tenant", "shop")))
    bodies: tuple[dict[str, Any], ...] = (
        {"name": known.name, "location": known.location},
        {"name": "again.nowhere", "location": f"{known.location}/nowhere"},
        {"name": "again.outside", "location": "/etc"},
        {"name": "again.other", "location": "s3://nowhere/table"},
        {"name": "tenant.own", "location": known.location},
        {"name": "..", "location": known.location},
        {"name": "again.x", "location": known.location, "format": "delta"},
        {"name": "again.x", "location": known.location, "rewrite": [{"old": ""}]},
        {"name": "again.x"},
        {"name": "again.x", "location": known.location, "format": {"iceberg": "paimon"}.get(known.format, "iceberg")},
    )
    match rng.randrange(4):
        case 0:
            asker.ask(Request("DELETE", "/api/v1/tables/again.none"))
        case 1:
            asker.ask(Request("POST", "/api/v1/tables/again.none/refresh"))
        case _:
            body = rng.choice(bodies)
            asker.ask(Request.post("/api/v1/tables", body))
            if body["name"].startswith(("again", "tenant")):
                asker.become("keeper")
                asker.ask(Request("DELETE", f"/api/v1/tables/{body['name']}"))
