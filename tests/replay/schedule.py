"""The choice and order of requests: a function of the seed and of earlier responses.

Three servers are queried one after another, on one index. One identifies callers by their tokens and never refreshes a
table; one has no tokens and looks at a table for each request; in one, requests register and remove tables.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.replay import changing, iceberg, native, odd, paimon
from tests.replay.asker import Asker, Enough, tokens_file
from tests.replay.exchanges import Request
from tests.replay.lake import HISTORY
from tests.replay.learned import Table, tables_of, token_of
from tests.replay.routes import Routes

Kind = Callable[[Asker], None]
WEIGHTS: Mapping[Kind, int] = {
    native.rows: 230,
    native.plan: 170,
    native.plan_parts: 45,
    native.appended: 35,
    native.explain: 60,
    native.difference: 35,
    native.snapshot: 20,
    native.system: 50,
    native.tables: 15,
    native.again: 35,
    iceberg.plan: 110,
    iceberg.load: 35,
    iceberg.catalog: 35,
    paimon.history: 60,
    paimon.catalog: 40,
    paimon.partitions: 30,
    paimon.rights: 5,
    odd.no_such: 20,
    odd.no_route: 14,
    odd.wrong_parameters: 18,
    odd.wrong_filters: 25,
    odd.wrong_bodies: 14,
    odd.wrong_tokens: 10,
    odd.strangers: 14,
    odd.process: 6,
}
CHANGING: Mapping[Kind, int] = {
    changing.refresh: 5,
    changing.register: 5,
    changing.grown: 3,
    changing.refused: 6,
    native.tables: 1,
}
NEVER = 1e9
ROOTS = ("lake", "demo", "growing")


@dataclass(frozen=True, slots=True)
class Session:
    """A server's settings, and its share of the requests.

    Attributes:
        has_callers: whether the server identifies callers by their tokens.
    """

    name: str
    part: float
    has_callers: bool
    settings: Mapping[str, str]

    def settings_in(self, folder: Path) -> dict[str, str]:
        """Return all settings of the server that serves ``folder/served``."""
        found = {"HISTORY": HISTORY, "ROOTS": ",".join(str(folder / name) for name in ROOTS), **self.settings}
        if self.has_callers:
            path = folder / "served" / "tokens.toml"
            tokens_file(path, [("tenant", str(folder / "lake" / "paimon"))])
            found["TOKENS"] = str(path)
        return found


SESSIONS = (
    Session("guarded", 0.76, has_callers=True, settings={"MAX_STALENESS": str(NEVER)}),
    Session(
        "open",
        0.1,
        has_callers=False,
        settings={
            "MAX_STALENESS": "0",
            "WAREHOUSE": "lake",
            "CORS_ORIGINS": "https://boards.example",
            "TABLES": json.dumps({"iceberg.*": {"nan": "greatest"}, "web.*": {"nan": "none"}}),
        },
    ),
    Session("changing", 0.14, has_callers=True, settings={"MAX_STALENESS": str(NEVER)}),
)


def ask_all(asker: Asker, session: Session, routes: Routes) -> None:
    """Send requests until the asker's limit is reached."""
    asker.has_callers = session.has_callers
    asker.become("everything")
    try:
        if session.name == "guarded":
            _survey(asker, routes)
        while True:
            _ask_one(asker, CHANGING if session.name == "changing" else WEIGHTS)
    except Enough:
        return


def _ask_one(asker: Asker, weights: Mapping[Kind, int]) -> None:
    asker.become(asker.rng.choices(("everything", "keeper", "shop"), (87, 10, 3))[0])
    asker.rng.choices(list(weights), list(weights.values()))[0](asker)


def _survey(asker: Asker, routes: Routes) -> None:
    """List all tables, send each main kind of request for each table, and every operation once.

    If the limit is low, survey only some tables.
    """
    answer = asker.ask(Request.get("/api/v1/tables", {"page_size": 20}))
    found: list[Table] = tables_of(answer)
    while (token := token_of(answer)) is not None:
        answer = asker.ask(Request.get("/api/v1/tables", {"page_size": 20, "page_token": token}))
        found += tables_of(answer)
    for form in ("application/x-ndjson", "application/vnd.apache.arrow.stream"):
        asker.ask(Request.get("/api/v1/tables", None, Accept=form))
    budget = asker.left
    few = found if budget >= 1500 else _some(found, asker.rng)
    asker.tables = {table.name: table for table in few}
    for table in few:
        native.survey(asker, table)
        (iceberg if table.format == "iceberg" else paimon).survey(asker, table)
    asker.become("keeper")
    for operation in routes.operations:
        if operation.method != "DELETE" or not operation.template.startswith("/api/"):
            odd.whatever(asker, operation)


def _some(tables: list[Table], rng: random.Random) -> list[Table]:
    """Return two tables of the demo, which have the most content, and one other table of each format."""
    demo = [table for table in tables if table.levels[0] in ("shop", "web")]
    others = [table for table in tables if table not in demo]
    return [
        demo[1],
        demo[3],
        *(next(table for table in others if table.format == name) for name in ("iceberg", "paimon")),
    ]
