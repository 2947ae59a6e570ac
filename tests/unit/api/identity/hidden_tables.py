"""Search every route for differences between a hidden table and a missing one."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.comparable_log import Lines
from tests.unit.api.conftest import FakeServices, table

HIDDEN = ("lake", "raw", ("events", "stock"))
MISSING = ("lakx", "rax", ("evenxx", "stocx"))
"""Two namespace levels and two tables each; the names have equal lengths."""
BODIES: dict[str, object] = {
    "plan": {"filter": "id > 1"},
    "explain": {"filter": "id > 1"},
    "tasks": {"plan-task": "none"},
    "iceberg_plan_table_scan": {},
    "iceberg_report_metrics": {"report-type": "scan-report"},
}
VARYING = {"x-request-id", "date"}


def add_hidden(services: FakeServices) -> None:
    """Register hidden tables of both formats."""
    services.names["lake.raw.stock"] = table("lake.raw.stock", 7)
    services.names["lake.raw.stock"].format = "paimon"


def operations(app: FastAPI) -> Iterator[tuple[str, str, str]]:
    """Yield method, path and id of every operation that names a table, a namespace or a database."""
    for path, verbs in app.openapi()["paths"].items():
        for verb, operation in verbs.items():
            if re.search(r"\{(table|namespace|database)\}", path):
                yield verb.upper(), path, operation["operationId"]


def filled(path: str, names: tuple[str, str, tuple[str, ...]], own: int) -> str:
    """Return a path with its parameters filled in."""
    first, second, tables = names
    values = {
        "table": tables[own] if not path.startswith("/api/") else f"{first}.{second}.{tables[own]}",
        "namespace": f"{first}\x1f{second}",
        "database": f"{first}.{second}",
        "id": "12",
    }
    return re.sub(r"\{(\w+)\}", lambda found: quote(values.get(found[1], "x"), safe=""), path)


def _masked(text: str, names: tuple[str, str, tuple[str, ...]]) -> str:
    first, second, tables = names
    for word, mask in zip((*tables, first, second), ("T1", "T2", "N1", "N2"), strict=True):
        text = re.sub(word + "(?![a-z])", mask, text)
    return text


def _seen(client: TestClient, lines: Lines, method: str, url: str, body: object, token: str) -> tuple[Any, ...]:
    lines.lines.clear()
    headers = {"Authorization": f"Bearer {token}"}
    answer = client.request(method, url, json=body, headers=headers, follow_redirects=False)
    shown = sorted((k, v) for k, v in answer.headers.items() if k not in VARYING)
    return answer.status_code, answer.text, shown, list(lines.lines)


def leaks(client: TestClient, token: str) -> Iterator[str]:
    """Yield what a caller without access to ``lake`` can learn of it.

    Lists must not contain a hidden name. A route that names a table must answer and log the same for a hidden table
    as for a missing one.
    """
    app = cast("FastAPI", client.app)
    lines = Lines()
    logger = logging.getLogger("lakemuster")
    logger.addHandler(lines)
    level = logger.level
    logger.setLevel(logging.INFO)
    try:
        for path, verbs in app.openapi()["paths"].items():
            if "get" in verbs and "{" not in path:
                text = client.get(path, headers={"Authorization": f"Bearer {token}"}).text
                if path != "/openapi.json" and re.search(r"lake\W+raw|events|stock", text):
                    yield f"GET {path} names a hidden table"
                if path == "/metrics" and 'lakemuster_tables{state="fresh"} 1.0' not in text:
                    yield "GET /metrics counts hidden tables"
        for method, path, operation in operations(app):
            body = BODIES.get(operation, {}) if method == "POST" else None
            for own in range(2 if "{table}" in path else 1):
                hidden, missing = (
                    tuple(
                        _masked(repr(part), names)
                        for part in _seen(client, lines, method, filled(path, names, own), body, token)
                    )
                    for names in (HIDDEN, MISSING)
                )
                if hidden != missing:
                    yield f"{method} {path}: {hidden} is not {missing}"
    finally:
        logger.removeHandler(lines)
        logger.setLevel(level)
