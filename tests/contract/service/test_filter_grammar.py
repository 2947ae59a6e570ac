"""Plans, lists and explanations accept every filter, or report the error in it, in bounded time."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from pyiceberg.catalog.sql import SqlCatalog

from lakemuster.catalog.services import Services
from lakemuster.metadata.names import parse_name
from lakemuster.planner.view import Selector
from tests.apps import create_app
from tests.contract.service import backends
from tests.contract.service.filter_grammar import Asked, Grammar
from tests.journey.pyiceberg_plans.tables import write
from tests.pace import assert_takes_less

EXAMPLES = int(os.environ.get("MUSTER_FILTERS", "150"))
"""Number of filters in each language; each is sent for one table to one endpoint."""
LONGEST_PARAMETER = 16_384
LONGEST_SECONDS = 1.0
"""Maximum CPU time of a response. Most take a few milliseconds."""
PAIMON = ("append_table_alter_table_with_cast", "pk_09")


@pytest.fixture(scope="module")
def services(lakes: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """Services with tables of both formats and columns of all types."""
    folder = tmp_path_factory.mktemp("grammar")
    catalog = SqlCatalog("c", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/lake")
    catalog.create_namespace("db")
    with backends.catalog(backends.settings(folder, max_staleness=3600.0)) as made:
        for name, seed in (("daily", 1), ("by_price", 2)):
            made.add(f"db.{name}", write(catalog, name, seed).location(), None, (), operator=True)
        for name in PAIMON:
            source = lakes / f"paimon/parquet/{name}.db/{name}"
            shutil.copytree(source, folder / name, copy_function=shutil.copyfile)
            made.add(f"db.{name}", str(folder / name), None, (), operator=True)
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181", raise_server_exceptions=False)


@pytest.fixture(scope="module")
def grammars(services: Services) -> dict[str, Grammar]:
    return {table.name: Grammar.of(services.view(table.name, Selector()).schemas[0]) for table in services.tables()}


def _asked(http: TestClient, method: str, path: str, **said: Any) -> Response:
    answer: Response = http.request(method, path, **said)
    return answer


def ask(http: TestClient, table: str, asked: Asked, how: str) -> Response:
    """Send a request with a filter, in the way ``how``."""
    native = f"/api/v1/tables/{table}"
    document = json.dumps(asked.text) if asked.is_sql else asked.text
    headers = {"Content-Type": "application/json"}
    if how == "files":
        return _asked(
            http,
            "GET",
            f"{native}/files",
            params={"filter": asked.text.encode("utf-8", "replace").decode(), "page_size": 2},
        )
    if how == "iceberg":
        namespace, name = parse_name(table)
        return _asked(
            http,
            "POST",
            f"/iceberg/v1/namespaces/{namespace}/tables/{name}/plan",
            content=f'{{"filter":{document}}}',
            headers=headers,
        )
    if how == "paimon":
        database, name = parse_name(table)
        path = f"/paimon/v1/lakemuster/databases/{database}/tables/{name}/partitions/list-by-filter"
        return _asked(http, "POST", path, content=json.dumps({"filter": asked.text}), headers=headers)
    path, more = {
        "plan": ("plan", ""),
        "tasks": ("plan/tasks", ""),
        "explain": ("explain", ""),
        "page": ("plan", ',"page_size":1'),
        "strict": ("plan", ',"strict":true,"case_sensitive":false'),
        "stream": ("plan", ""),
    }[how]
    headers |= {"Accept": "application/x-ndjson"} if how == "stream" else {}
    answer = _asked(http, "POST", f"{native}/{path}", content=f'{{"filter":{document}{more}}}', headers=headers)
    if how == "page" and answer.status_code == 200 and (token := answer.json()["next_page_token"]):
        content = f'{{"filter":{document}{more},"page_token":{json.dumps(token)}}}'
        answer = _asked(http, "POST", f"{native}/{path}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text[:300]
    return answer


@pytest.mark.parametrize("sql", [True, False], ids=["sql", "json"])
def test_every_filter_is_planned_or_rejected(
    http: TestClient, grammars: dict[str, Grammar], sql: bool, caplog: pytest.LogCaptureFixture
) -> None:
    ways = ["plan", "tasks", "explain", "page", "strict", "stream", "files", "paimon"]
    ways += [] if sql else ["iceberg", "iceberg"]
    seen: Counter[tuple[bool, int]] = Counter()

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        table = data.draw(st.sampled_from(sorted(grammars)))
        asked = data.draw(grammars[table].filters(sql=sql))
        how = data.draw(st.sampled_from(ways))
        if how == "files" and len(asked.text) > 10_000:
            how = "explain"
        started = time.process_time()
        with caplog.at_level(logging.ERROR, "lakemuster.api"):
            answer = ask(http, table, asked, how)
        seconds = time.process_time() - started
        told = f"{how} of {table}: {answer.status_code} {answer.text[:300]} {caplog.text[-2000:]}"
        may_be = {200, 400} if how not in ("iceberg", "paimon") else {200, 400, 404}
        assert answer.status_code in may_be, told
        # A strict plan may refuse a valid filter that cannot prune.
        assert answer.status_code != 400 or not asked.good or how == "strict", told
        if seconds >= LONGEST_SECONDS:
            note(f"{seconds} s for {told}")
            assert_takes_less(lambda: ask(http, table, asked, how), LONGEST_SECONDS)
        assert len(answer.content) < 2**20 or answer.status_code == 200
        seen[asked.good, answer.status_code] += 1

    check()
    assert seen[True, 200] > EXAMPLES / 8, seen
    assert seen[False, 400] > EXAMPLES / 8, seen
    assert seen[False, 200], seen


def chain(length: int, *, left: bool, leaf: str = '{"type":"lt","term":"id","value":5}') -> str:
    before = '{"type":"and","left":' + ("" if left else f'{leaf},"right":')
    return before * length + leaf + (f',"right":{leaf}}}' if left else "}") * length


BEYOND = f'{{"type":"lt","term":"id","value":{10**30}}}'
UNREAD = '{"type":"eq","left":{"type":"apply","function":"f","arguments":[{"type":"reference","name":"id"}]},"right":1}'


@pytest.mark.parametrize("how", ["plan", "tasks", "explain", "page", "strict", "stream", "files", "iceberg"])
@pytest.mark.parametrize(
    "text",
    [
        BEYOND,
        f'{{"type":"in","term":"id","values":[1,2,{-(10**399)}]}}',
        f'{{"type":"and","left":{BEYOND},"right":{UNREAD}}}',
        chain(260, left=True),
        chain(260, left=False),
        chain(140, left=True, leaf=UNREAD),
    ],
    ids=["beyond", "in", "residual", "left-deep", "right-deep", "deep residual"],
)
def test_large_numbers_and_long_chains_are_planned(http: TestClient, how: str, text: str) -> None:
    refused = (how == "strict" and "apply" in text) or (how == "files" and len(text) > LONGEST_PARAMETER)
    answer = ask(http, "db.daily", Asked(text, is_sql=False), how)
    assert answer.status_code == (400 if refused else 200), answer.text[:300]


def test_a_residual_keeps_large_numbers(http: TestClient) -> None:
    text = f'{{"type":"and","left":{BEYOND},"right":{UNREAD}}}'
    for how, rows, key in (("plan", "files", "residual"), ("iceberg", "file-scan-tasks", "residual-filter")):
        answer = ask(http, "db.daily", Asked(text, is_sql=False), how).json()
        assert {row[key]["left"]["value"] for row in answer[rows]} == {10**30}


@pytest.mark.parametrize("depth", [900, 1_500, 40_000])
def test_a_body_nested_too_deeply_is_reported_as_such(http: TestClient, depth: int) -> None:
    text = '{"type":"not","child":' * depth + "true" + "}" * depth
    answer = ask(http, "db.daily", Asked(text, is_sql=False), "plan")
    assert answer.status_code == 400
    assert " deep" in answer.json()["error"]["message"]
