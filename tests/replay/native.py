"""Requests of the native API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from tests.replay.asker import ARROW, NDJSON, Asker
from tests.replay.exchanges import Answer, Request
from tests.replay.filters import NAN_MODES, Filters
from tests.replay.learned import Table, token_of

LISTS = ("snapshots", "refs", "schemas", "specs", "manifests", "entries", "files", "partitions", "indexes")
_WEIGHTS = (10, 5, 6, 4, 14, 16, 30, 12, 8)
_PAGING = ("page_size", "page_token")
_CONTENTS = ("data", "position-deletes", "equality-deletes", "changelog", "data,position-deletes")
_FORMS = ("application/json", "*/*", "application/x-ndjson;q=0.5, application/json;q=0.9")


def survey(asker: Asker, table: Table) -> None:
    """Send one request of each main kind, and record the table's names and values from the responses."""
    asker.ask(Request.get(table.native))
    for name in LISTS:
        table.learn(asker.ask(Request.get(f"{table.native}/{name}", {"stats": "*"} if name == "files" else None)))
    table.learn(asker.ask(Request.get(f"{table.native}/system")))
    asker.ask(Request.get(f"{table.native}/snapshots/{table.snapshots[-1] if table.snapshots else 1}"))
    first, last = (table.snapshots[0], table.snapshots[-1]) if table.snapshots else ("1", "2")
    asker.ask(Request.get(f"{table.native}/diff", {"from": first, "to": last}))
    for name in table.system[:2]:
        asker.ask(Request.get(f"{table.native}/system/{name}"))
    filters = Filters(asker.rng, table)
    asker.ask(Request.post(f"{table.native}/plan", {"filter": filters.sql(), "stats": ["*"]}))
    asker.ask(Request.post(f"{table.native}/plan/tasks", {"task_files": 2}))
    asker.ask(Request.post(f"{table.native}/explain", {"filter": filters.either(), "files": table.paths[:3]}))
    asker.ask(Request.post(f"{table.native}/plan", {"filter": filters.json()}, Accept=NDJSON))
    asker.ask(Request.post(f"{table.native}/plan", {}, Accept=ARROW))


def tables(asker: Asker) -> None:
    """Request the list of tables, or one table."""
    rng = asker.rng
    if rng.random() < 0.5:
        asker.ask(Request.get(asker.of_format().native))
    elif rng.random() < 0.3:
        asker.ask(Request.get("/api/v1/tables", None, Accept=NDJSON))
    else:
        asker.pages("/api/v1/tables", {"page_size": rng.choice((1, 3, 10, 1000))}, _PAGING, 3)


def rows(asker: Asker) -> None:
    """Request a list of one table: some pages, or all rows as a stream; sometimes again with its ETag."""
    rng, table = asker.rng, asker.of_format()
    name = rng.choices(LISTS, _WEIGHTS)[0]
    parameters: dict[str, object] = _selector(asker, table)
    if name == "files":
        parameters |= _of_files(asker, table)
    if name == "entries" and table.manifests and rng.random() < 0.4:
        manifest = rng.choice(table.manifests)
        parameters["manifest"] = manifest if rng.random() < 0.5 else manifest.rsplit("/", 1)[-1]
    _listed(asker, table, f"{table.native}/{name}", parameters)


def snapshot(asker: Asker) -> None:
    """Request a snapshot by its id."""
    rng, table = asker.rng, asker.of_format()
    parameters: dict[str, object] = {}
    if table.refs and rng.random() < 0.3:
        parameters[rng.choice(("branch", "ref"))] = rng.choice(table.refs)
    number = rng.choice(table.snapshots or ["1"])
    asker.ask(Request.get(f"{table.native}/snapshots/{number}", parameters))


def difference(asker: Asker) -> None:
    """Request the files added and removed between two snapshots."""
    rng, table = asker.rng, asker.of_format()
    parameters: dict[str, object] = {"from": rng.choice(table.snapshots or ["1"])}
    match rng.randrange(3):
        case 0:
            parameters["to"] = rng.choice(table.snapshots or ["1"])
        case 1:
            parameters |= _selector(asker, table)
    _listed(asker, table, f"{table.native}/diff", parameters)


def system(asker: Asker) -> None:
    """Request one of Paimon's system tables."""
    rng, table = asker.rng, asker.of_format("paimon" if asker.rng.random() < 0.9 else None)
    if not table.system:
        asker.ask(Request.get(f"{table.native}/system/{rng.choice(('files', 'options'))}"))
        return
    name = rng.choice(table.system)
    _listed(asker, table, f"{table.native}/system/{quote(name, safe='')}", _selector(asker, table))


def plan(asker: Asker) -> None:
    """Request a plan: some pages, or a stream."""
    rng, table = asker.rng, asker.of_format()
    asked = _question(asker, table)
    if rng.random() < 0.35:
        asker.ask(Request.post(f"{table.native}/plan", asked, Accept=rng.choice((NDJSON, ARROW, *_FORMS))))
        return
    if rng.random() < 0.4:
        asked["page_size"] = rng.choice((1, 2, 5))
    answer = asker.ask(Request.post(f"{table.native}/plan", asked))
    for _ in range(2):
        if (token := token_of(answer)) is not None:
            answer = asker.ask(Request.post(f"{table.native}/plan", {**asked, "page_token": token}))


def plan_parts(asker: Asker) -> None:
    """Request the tasks of a plan, and some of them in various forms."""
    rng, table = asker.rng, asker.of_format()
    asked = _question(asker, table)
    asked.pop("limit", None)
    answer = asker.ask(Request.post(f"{table.native}/plan/tasks", {**asked, "task_files": rng.choice((1, 2, 3, 100))}))
    tasks: list[str] = answer.get("plan_tasks") or []
    for task in rng.sample(tasks, min(3, len(tasks))):
        named = {"Accept": rng.choice((NDJSON, ARROW))} if rng.random() < 0.4 else {}
        asker.ask(Request.post(f"{table.native}/plan", {**asked, "plan_task": task}, **named))


def appended(asker: Asker) -> None:
    """Request an incremental plan of the files appended since a snapshot."""
    rng, table = asker.rng, asker.of_format()
    asked: dict[str, Any] = {"start_snapshot_id": rng.choice(table.snapshots or ["1"])}
    if rng.random() < 0.4:
        asked["end_snapshot_id"] = rng.choice(table.snapshots or ["1"])
    if rng.random() < 0.4:
        asked["filter"] = Filters(rng, table).either()
    if table.format == "paimon" and rng.random() < 0.5:
        asked["scan_mode"] = rng.choice(("delta", "changelog"))
    asker.ask(Request.post(f"{table.native}/plan", asked))


def explain(asker: Asker) -> None:
    """Request an explanation of which files a filter selects or drops, and why."""
    rng, table = asker.rng, asker.of_format()
    asked = {key: value for key, value in _question(asker, table).items() if key in _EXPLAINED}
    if table.paths and rng.random() < 0.7:
        asked["files"] = rng.sample(table.paths, min(len(table.paths), rng.randint(1, 4)))
        if rng.random() < 0.1:
            asked["files"] = [*asked["files"], "nowhere/data-0.parquet"]
    asker.ask(Request.post(f"{table.native}/explain", asked))


def again(asker: Asker) -> None:
    """Repeat a request whose response had an ETag, with that ETag or another."""
    if asker.etags:
        target, etag = asker.rng.choice(list(asker.etags.items()))
        said = asker.rng.choice((etag, etag, etag, f'"none", W/{etag}', '"none"', "*"))
        asker.ask(Request("GET", target, (("If-None-Match", said),)))


_EXPLAINED = ("filter", "snapshot_id", "ref", "as_of", "case_sensitive", "nan")


def _question(asker: Asker, table: Table) -> dict[str, Any]:
    """Return the body of a plan request; some members may not apply to the table."""
    rng, filters = asker.rng, Filters(asker.rng, table)
    asked: dict[str, Any] = {}
    if rng.random() < 0.85:
        asked["filter"] = filters.either()
    match rng.randrange(6):
        case 0 | 1 if table.snapshots:
            number = rng.choice(table.snapshots)
            asked["snapshot_id"] = number if rng.random() < 0.7 else int(number)
        case 2 if table.refs:
            asked["ref"] = rng.choice(table.refs)
        case 3 if table.times:
            asked["as_of"] = rng.choice(table.times)
    chances = (
        ("nan", 0.25, lambda: rng.choice(NAN_MODES)),
        ("select", 0.2, filters.names),
        ("stats", 0.25, lambda: rng.choice((["*"], filters.names()))),
        ("limit", 0.15, lambda: rng.choice((1, 3, 50, 1000))),
        ("strict", 0.08, lambda: True),
        ("case_sensitive", 0.1, lambda: rng.random() < 0.5),
    )
    of_paimon = (
        ("splits", 0.25, lambda: True),
        ("read_optimized", 0.15, lambda: True),
        ("split_target_size", 0.05, lambda: rng.choice((1, 5000, 10**9))),
    )
    for name, chance, draw in (*chances, *(of_paimon if table.format == "paimon" or rng.random() < 0.05 else ())):
        if rng.random() < chance:
            asked[name] = draw()
    return asked


def _selector(asker: Asker, table: Table) -> dict[str, object]:
    rng = asker.rng
    match rng.choices(range(4), (40, 32, 14, 14))[0]:
        case 1 if table.snapshots:
            return {"snapshot": rng.choice(table.snapshots)}
        case 2 if table.refs:
            return {"ref": rng.choice(table.refs)}
        case 3 if table.times:
            return {"as_of": rng.choice((*table.times, "2025-01-01T00:00:00Z", "1714800000000"))}
    return {}


def _of_files(asker: Asker, table: Table) -> dict[str, object]:
    rng, filters = asker.rng, Filters(asker.rng, table)
    found: dict[str, object] = {}
    if rng.random() < 0.55:
        found["filter"] = filters.text()
        if rng.random() < 0.3:
            found["nan"] = rng.choice(NAN_MODES)
    if rng.random() < 0.3:
        found["content"] = rng.choice(_CONTENTS)
    if rng.random() < 0.5:
        found["stats"] = "*" if rng.random() < 0.5 else ",".join(filters.names())
    return found


def _listed(asker: Asker, table: Table, path: str, parameters: dict[str, object]) -> list[Answer]:
    rng = asker.rng
    if rng.random() < 0.4:
        return [asker.ask(Request.get(path, parameters, Accept=rng.choice((NDJSON, ARROW, NDJSON, ARROW, *_FORMS))))]
    if rng.random() < 0.6:
        parameters["page_size"] = rng.choice((1, 2, 3, 10))
    answers = asker.pages(path, parameters, _PAGING, 3)
    if (etag := answers[0].header("etag")) is not None and rng.random() < 0.2:
        asker.ask(Request.get(path, parameters, If_None_Match=etag))
    return answers
