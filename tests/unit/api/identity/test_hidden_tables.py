"""A hidden table cannot be told from a missing one on any route; planted leaks are detected."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.responses import Response

from lakemuster.api import errors as api_errors
from lakemuster.api import operations
from lakemuster.api.failures import Failure
from lakemuster.api.iceberg_rest import dependencies as iceberg_rest
from lakemuster.api.identity.policy import Policy
from lakemuster.api.measured import count_tables
from lakemuster.api.metrics import MetricSet
from lakemuster.api.native import dependencies as native
from lakemuster.api.paimon_rest import dependencies as paimon_rest
from lakemuster.api.shared import Api
from lakemuster.errors import NotAuthorised, TableNotFound
from tests.unit.api.conftest import FakeServices
from tests.unit.api.identity.hidden_tables import add_hidden, leaks


@pytest.fixture
def reader(with_tokens: TestClient, services: FakeServices) -> TestClient:
    add_hidden(services)
    return with_tokens


def test_nothing_tells_a_hidden_table_from_a_missing_one(reader: TestClient) -> None:
    assert list(leaks(reader, "r")) == []


_require = Policy.require
_permit_table = native.permit_table


def _said(self: Policy, caller: Any, action: Any, table: Any = None) -> None:
    try:
        _require(self, caller, action, table)
    except TableNotFound as error:
        raise NotAuthorised("not yours") if table and table[0] == "lake" else error from None


def _asked_late(request: Any, levels: Any) -> None:
    request.app.state.api.services.table(".".join(levels))
    try:
        _permit_table(request, levels)
    except TableNotFound:
        raise NotAuthorised("it is there, but not yours") from None


def _counted(api: Api, _: object) -> bytes:
    figures = MetricSet()
    count_tables(figures, api.services)
    return figures.text()


_form = api_errors._native_form


def _with_etag(path: str, failure: Failure) -> Response:
    headers = {"ETag": '"7"'} if "lake.raw.stock" in path else {}
    return _form(path, replace(failure, headers={**failure.headers, **headers}))


def _logged(request: Any, levels: Any) -> None:
    if ".".join(levels) in request.app.state.api.services.names:
        logging.getLogger("lakemuster.api").info("a table that is there")
    _permit_table(request, levels)


PLANTED: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "everything is seen": lambda m: m.setattr(Policy, "sees", lambda *_: True),
    "the native lists are not filtered": lambda m: m.setattr(Api, "tables", lambda api, *_: api.services.tables()),
    "the Iceberg lists are not filtered": lambda m: m.setattr(Api, "_sees_in", lambda *_: True),
    "native routes do not ask for the table": lambda m: m.setattr(native, "permit_table", lambda *_: None),
    "Iceberg routes do not ask for the table": lambda m: m.setattr(iceberg_rest, "permit_table", lambda *_: None),
    "Paimon routes do not ask for the table": lambda m: m.setattr(paimon_rest, "permit_table", lambda *_: None),
    "the table is looked up before the policy is asked": lambda m: m.setattr(native, "permit_table", _asked_late),
    "a hidden namespace is forbidden, not missing": lambda m: m.setattr(Policy, "require", _said),
    "metrics of everything are shown": lambda m: m.setattr(Policy, "sees_all", lambda *_: True),
    "metrics count what is hidden": lambda m: m.setattr(operations, "_of_caller", _counted),
    "a header is sent for hidden tables only": lambda m: m.setattr(api_errors, "_native_form", _with_etag),
    "a line is logged for hidden tables only": lambda m: m.setattr(native, "permit_table", _logged),
}


@pytest.mark.parametrize("leak", PLANTED)
def test_planted_leaks_are_noticed(leak: str, reader: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[leak](monkeypatch)
    assert next(leaks(reader, "r"), None) is not None
