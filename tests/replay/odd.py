"""Invalid requests, and requests outside the APIs, whose responses are part of the contract too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from tests.replay.asker import Asker
from tests.replay.exchanges import Request
from tests.replay.filters import Filters
from tests.replay.learned import Table
from tests.replay.routes import Operation

_JSON = (("Content-Type", "application/json"),)
_BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"text"',
    b'{"filter": 1}',
    b'{"unknown": true}',
    b"\xff\xfe",
    b"{}" + b" " * 999,
)
_SQL = (
    "nope = 1", "id =", "id = 'x' AND", "(((", "id IN ()", "1", "'a'", "id = 1; DROP TABLE x", "a.b.c > 1", "id LIKE 5",
    "NOT", "id BETWEEN 1", "true", "false", "NULL", "id = DATE '2024-13-01'", "id = X'0'", "\u2028", "id = 1e999",
)  # fmt: skip
_EXPRESSIONS: tuple[Any, ...] = (
    {"type": "eq"}, {"type": "nope", "term": "id"}, {"type": "eq", "term": "nope", "value": 1}, {"type": "and"},
    {"type": "in", "term": "id", "values": []}, {"type": "not"}, {"type": "eq", "term": "id", "value": {}}, 7, "id = 1",
    {"type": "eq", "term": {"type": "transform", "transform": "nope", "term": "id"}, "value": 1},
)  # fmt: skip
_PARAMETERS = (
    "page_size=0", "page_size=10001", "page_size=x", "page_token=AAAA", "page_token=", "snapshot=x", "snapshot=12345",
    "ref=nope", "as_of=yesterday", "as_of=0", "snapshot=1&ref=main", "unknown=1", "page_size=1&page_size=2",
    "stats=nope", "content=nope", "nan=nope", "filter=", "snapshot=99999999999999999999", "from=1", "from=x",
    "manifest=nope",
)  # fmt: skip
_METHODS = ("PUT", "PATCH", "DELETE", "POST", "OPTIONS", "HEAD", "TRACE", "BREW")
_ACCEPTED = ("text/html", "application/json;q=0", "image/*", "application/json;q=x", "*/*;q=0", "a,b,c", "")


def no_such(asker: Asker) -> None:
    """Request names that do not exist."""
    rng, table = asker.rng, asker.of_format()
    near = table.name[:-1] + rng.choice("xyz")
    wrong = rng.choice(
        (near, "nope", "shop.nope", "a..b", ".", "`", "shop.`x", "ns." + "x" * 300, "été.table", "a%00b")
    )
    name, last = quote(wrong, safe="%"), rng.choice(("", "/files", "/plan", "/snapshots", "/system/files", "/explain"))
    paths = (
        f"/api/v1/tables/{name}{last}",
        f"/iceberg/v1/namespaces/{quote(table.levels[0])}/tables/{name}",
        f"/iceberg/v1/namespaces/{name}",
        f"/paimon/v1/lakemuster/databases/{name}",
        f"{table.database}/tables/{name}/snapshot",
        f"{table.native}/snapshots/{rng.choice(('1234567', 'x', '-1', '9' * 25))}",
        f"{table.native}/system/{name}",
        f"/paimon/v1/lakemuster/tables/id/{name}",
    )
    asker.ask(Request(rng.choices(("GET", "HEAD"), (9, 1))[0], rng.choice(paths)))


def no_route(asker: Asker) -> None:
    """Request unknown paths and methods."""
    rng, table = asker.rng, asker.of_format()
    paths = (
        "/nope", "/api/v1", "/api/v2/tables", "/api/v1/tables/", "/iceberg", "/iceberg/v1", "/iceberg/v1/nope",
        "/paimon/v1", "/paimon/v1/other/databases", "/docs/", "/redoc", f"{table.native}/nope", f"{table.native}/",
        "//api/v1/tables", "/api/v1/tables/../tables",
    )  # fmt: skip
    known = (table.native, f"{table.native}/files", table.iceberg, f"{table.iceberg}/plan", table.paimon, "/healthz")
    if rng.random() < 0.4:
        asker.ask(Request("GET", rng.choice(paths)))
    else:
        method = rng.choice(_METHODS)
        asker.ask(Request(method, rng.choice(known if method != "DELETE" else known[1:])))


def wrong_parameters(asker: Asker) -> None:
    """Send invalid query parameters."""
    rng, table = asker.rng, asker.of_format()
    names = ("files", "entries", "snapshots", "diff", "manifests", "partitions", "system", "refs")
    query = rng.choice(_PARAMETERS)
    path = rng.choice((f"{table.native}/{rng.choice(names)}", "/api/v1/tables", table.native))
    if rng.random() < 0.2:
        path, query = rng.choice(
            (
                ("/iceberg/v1/namespaces", "pageSize=0"),
                (table.iceberg, "snapshots=some"),
                ("/iceberg/v1/namespaces", "pageToken=AAAA"),
                (f"{table.paimon}/snapshots", "maxResults=-1"),
                (f"{table.paimon}/tags", "pageToken=AAAA"),
            )
        )
    asker.ask(Request("GET", f"{path}?{query}"))


def wrong_filters(asker: Asker) -> None:
    """Send invalid filters, or filters on unknown columns."""
    rng, table = asker.rng, asker.of_format()
    column = Filters(rng, table).column()
    sql, expression = rng.choice(_SQL).replace("id", column, 1), rng.choice(_EXPRESSIONS)
    match rng.randrange(4):
        case 0:
            asker.ask(Request.get(f"{table.native}/files", {"filter": sql}))
        case 1:
            asker.ask(Request.post(f"{table.native}/{rng.choice(('plan', 'explain', 'plan/tasks'))}", {"filter": sql}))
        case 2:
            asker.ask(Request.post(f"{table.native}/plan", {"filter": expression}))
        case _:
            asker.ask(Request.post(f"{asker.of_format('iceberg').iceberg}/plan", {"filter": expression}))


def wrong_bodies(asker: Asker) -> None:
    """Send bodies that are not JSON or not valid."""
    rng, table = asker.rng, asker.of_format()
    kind = rng.choice((_JSON, _JSON, (), (("Content-Type", "text/plain"),)))
    paths = (
        f"{table.native}/plan", f"{table.native}/explain", f"{table.native}/plan/tasks", "/api/v1/tables",
        f"{table.iceberg}/plan", f"{table.iceberg}/tasks", f"{table.iceberg}/metrics",
        f"{table.paimon}/partitions/list-by-names", f"{table.paimon}/partitions/list-by-filter", f"{table.paimon}/auth",
    )  # fmt: skip
    asker.ask(Request("POST", rng.choice(paths), kind, rng.choice(_BODIES)))


def wrong_tokens(asker: Asker) -> None:
    """Send tokens of another list, or modified ones."""
    rng, table, other = asker.rng, asker.of_format(), asker.of_format()
    first = asker.ask(Request.get(f"{table.native}/entries", {"page_size": 1}))
    token = first.get("next_page_token") or "AAAA"
    changed = token[:-2] + rng.choice(("AA", "zz"))
    match rng.randrange(4):
        case 0:
            asker.ask(Request.get(f"{other.native}/entries", {"page_token": token}))
        case 1:
            asker.ask(Request.get(f"{table.native}/files", {"page_token": token}))
        case 2:
            asker.ask(Request.get(f"{table.native}/entries", {"page_token": changed}))
        case _:
            asker.ask(Request.post(f"{table.native}/plan", {rng.choice(("plan_task", "page_token")): changed}))
    if rng.random() < 0.3:
        asker.ask(Request.post(f"{table.iceberg}/tasks", {"plan-task": changed}))
        asker.ask(Request.get(f"{table.iceberg}/plan/{changed}"))


def strangers(asker: Asker) -> None:
    """Send requests with unusual headers: unknown callers, other hosts and origins, media types, ranges."""
    rng, table = asker.rng, asker.of_format()
    path = rng.choice((f"{table.native}/files", table.iceberg, table.paimon, "/api/v1/tables", "/metrics"))
    headers = (
        (("Authorization", "Bearer nobody"),), (("Authorization", "Basic eDp5"),), (("Authorization", ""),),
        (("Host", "elsewhere.example"),), (("Origin", "https://elsewhere.example"),), (("X-Request-Id", "a-1"),),
        (("Origin", "https://boards.example"),), (("Accept", rng.choice(_ACCEPTED)),),
        (("Accept-Encoding", "gzip, zstd"),), (("Range", "bytes=0-9"),),
    )  # fmt: skip
    given = rng.choice(headers)
    if rng.random() < 0.2:
        preflight = (("Access-Control-Request-Method", rng.choice(("GET", "POST", "PATCH"))),)
        origin = (("Origin", rng.choice(("https://boards.example", "https://elsewhere.example"))),)
        asker.ask(Request("OPTIONS", path, (*origin, *preflight)))
    elif rng.random() < 0.3:
        asker.ask(Request("POST", f"{table.native}/plan", (*_JSON, *given), b"{}"))
    else:
        asker.ask(Request("GET", path, given))


def process(asker: Asker) -> None:
    """Request the server's health, documentation or metrics."""
    path = asker.rng.choice(("/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"))
    asker.ask(Request(asker.rng.choices(("GET", "HEAD"), (9, 1))[0], path))


def whatever(asker: Asker, operation: Operation) -> None:
    """Send a request for any operation with its parameters filled in; writes to a catalog are refused."""
    rng, table = asker.rng, _fitting(asker, operation)
    given: dict[str, Callable[[], str]] = {
        "{table}": lambda: table.name if operation.template.startswith("/api") else table.levels[-1],
        "{namespace}": lambda: "\x1f".join(table.levels[:-1]),
        "{database}": lambda: ".".join(table.levels[:-1]),
        "{id}": lambda: rng.choice(table.snapshots or ["1"]),
        "{version}": lambda: rng.choice(table.snapshots or ["1"]),
        "{branch}": lambda: rng.choice(table.refs or ["main"]),
        "{tag}": lambda: rng.choice(table.refs or ["none"]),
        "{name}": lambda: rng.choice(table.system or ["files"]),
        "{plan_id}": lambda: "AAAA",
        "{table_id}": lambda: "00000000-0000-0000-0000-000000000000",
    }
    path = operation.template
    for name in [part for part in path.split("/") if part.startswith("{")]:
        path = path.replace(name, quote(given.get(name, lambda: "nope")(), safe=""))
    if operation.method == "POST":
        asker.ask(Request.post(path, {}))
    else:
        asker.ask(Request(operation.method, path))


def _fitting(asker: Asker, operation: Operation) -> Table:
    formats = {"/iceberg": "iceberg", "/paimon/": "paimon"}
    return asker.of_format(formats.get(operation.template[:8]))
