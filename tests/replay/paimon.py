"""Requests of the Paimon REST catalog."""

from __future__ import annotations

from urllib.parse import quote

from tests.replay.asker import Asker
from tests.replay.exchanges import Request
from tests.replay.learned import Table

ROOT = "/paimon/v1"
PREFIX = f"{ROOT}/lakemuster"
_PAGING = ("maxResults", "pageToken")
_OF_TABLE = ("snapshot", "snapshots", "branches", "tags", "consumers", "partitions")
_OF_DATABASE = ("tables", "table-details", "views", "view-details", "functions", "function-details")


def survey(asker: Asker, table: Table) -> None:
    """Send one request of each main kind."""
    found = asker.ask(Request.get(table.paimon))
    for name in _OF_TABLE:
        asker.ask(Request.get(f"{table.paimon}/{name}"))
    if isinstance(known := found.get("id"), str):
        asker.ask(Request.get(f"{PREFIX}/tables/id/{quote(known)}"))


def catalog(asker: Asker) -> None:
    """Request the configuration, databases, or names of tables, views or functions."""
    rng, table = asker.rng, asker.of_format("paimon" if asker.rng.random() < 0.8 else None)
    paging: dict[str, object] = {"maxResults": rng.choice((None, 0, 1, 2, 100))}
    prefix = f"{table.levels[0]}%"
    match rng.randrange(6):
        case 0:
            asker.ask(Request.get(f"{ROOT}/config", {"warehouse": rng.choice((None, "lake", "other"))}))
        case 1:
            pattern = {"databaseNamePattern": rng.choice((None, prefix, ".".join(table.levels[:-1])))}
            asker.pages(f"{PREFIX}/databases", {**paging, **pattern}, _PAGING, 3)
        case 2:
            pattern = {"tableNamePattern": rng.choice((None, table.levels[-1][:3] + "%"))}
            pattern["databaseNamePattern"] = rng.choice((None, prefix))
            asker.pages(f"{PREFIX}/tables", {**paging, **pattern}, _PAGING, 3)
        case 3:
            asker.ask(Request.get(table.database))
        case 4:
            asker.ask(Request.get(f"{PREFIX}/{rng.choice(('views', 'functions'))}", paging))
        case _:
            name = rng.choice(_OF_DATABASE)
            given = {"tableNamePattern": rng.choice((None, table.levels[-1][:2] + "%"))} if "table" in name else {}
            asker.pages(f"{table.database}/{name}", {**paging, **given}, _PAGING, 3)


def history(asker: Asker) -> None:
    """Request a table, its snapshots, branches or tags, sometimes on a branch."""
    rng, table = asker.rng, asker.of_format("paimon" if asker.rng.random() < 0.9 else None)
    path = table.paimon
    others = [name for name in table.refs if name != "main"]
    if others and rng.random() < 0.4:
        path += quote(f"$branch_{rng.choice(others)}", safe="")
    match rng.randrange(6):
        case 0:
            asker.ask(Request.get(path))
        case 1:
            asker.ask(Request.get(f"{path}/snapshot"))
        case 2:
            asker.pages(f"{path}/snapshots", {"maxResults": rng.choice((None, 1, 2))}, _PAGING, 3)
        case 3:
            version = rng.choice((*table.snapshots, "EARLIEST", "LATEST", *others, "77"))
            asker.ask(Request.get(f"{path}/snapshots/{quote(version, safe='')}"))
        case 4:
            given = {"maxResults": rng.choice((None, 1)), "tagNamePrefix": rng.choice((None, "o", "b"))}
            asker.pages(f"{path}/tags", given, _PAGING, 2)
            asker.ask(Request.get(f"{path}/tags/{quote(rng.choice((*others, 'none')), safe='')}"))
        case _:
            asker.ask(Request.get(f"{path}/{rng.choice(('branches', 'consumers', 'token'))}"))


def partitions(asker: Asker) -> None:
    """Request a table's partitions: all, by a name pattern, or by their values."""
    rng, table = asker.rng, asker.of_format("paimon")
    specs = [{name: str(value) for name, value in partition.items()} for partition in table.partitions]
    path = f"{table.paimon}/partitions"
    names = ["/".join(f"{key}={value}" for key, value in spec.items()) for spec in specs]
    like = rng.choice((None, *(name[:-1] + "%" for name in names[:3]), *names[:3]))
    match rng.randrange(3):
        case 0:
            given = {"maxResults": rng.choice((None, 1, 2)), "partitionNamePattern": like}
            asker.pages(path, given, _PAGING, 3)
        case 1:
            wanted = rng.sample(specs, min(len(specs), 2)) + ([{"dt": "none"}] if rng.random() < 0.3 else [])
            asker.ask(Request.post(f"{path}/list-by-names", {"specs": wanted}))
        case _:
            asked = {"filter": "{}", "partitionNamePattern": like, "maxResults": rng.choice((None, 1))}
            asker.ask(Request.post(f"{path}/list-by-filter", asked))


def rights(asker: Asker) -> None:
    """Request the rights of a query."""
    table = asker.of_format("paimon")
    asker.ask(Request.post(f"{table.paimon}/auth", {"select": list(table.columns)[:2]}))
