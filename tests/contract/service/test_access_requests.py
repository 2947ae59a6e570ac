"""On all routes, responses agree with a simple model of the callers' rights; planted leaks are detected."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, get_args

import pytest
from starlette.responses import Response

from lakemuster.api import errors as api_errors
from lakemuster.api import missing_tables, operations, response_cache
from lakemuster.api.failures import Failure
from lakemuster.api.iceberg_rest import dependencies as iceberg_rest
from lakemuster.api.identity.policy import Policy
from lakemuster.api.measured import count_tables
from lakemuster.api.metrics import MetricSet
from lakemuster.api.native import catalogs, events, health, tables
from lakemuster.api.native import dependencies as native
from lakemuster.api.native.indexing import IndexingParameters
from lakemuster.api.paimon_rest import dependencies as paimon_rest
from lakemuster.api.shared import Api
from lakemuster.catalog.catalog_documents import catalogs_out
from lakemuster.catalog.fleet_health import FleetListing
from lakemuster.catalog.iceberg_rest import scan_tasks
from lakemuster.catalog.missing_tables import not_registered
from lakemuster.catalog.token_signing import Audience, TokenRefused, TokenSigner
from lakemuster.errors import NotAuthorised, TableNotFound
from lakemuster.metadata.names import format_name
from tests.contract.service.access_requests import Search
from tests.contract.service.access_rules import ALL, Outcome
from tests.contract.service.access_server import access_server

FEW, MANY = 1500, 100_000
"""Pairs of a caller and a request in every run, and in ``make full``."""
CAUGHT_WITHIN, CATCHING_SEED = 3000, 53
"""Maximum pairs until a planted leak is found; with this seed, it takes at most 319."""


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Search]:
    with pytest.MonkeyPatch.context() as patched, access_server(tmp_path_factory.mktemp("access")) as server:
        # Plans of two files have plan tasks.
        patched.setattr(scan_tasks, "MAX_FILES", 1)
        yield Search(server)


def test_each_operation_has_one_rule(search: Search) -> None:
    ruled = [operation for operations in ALL for operation in operations]
    assert sorted(ruled) == sorted(search.operations)


def test_callers_get_what_the_model_says(search: Search) -> None:
    found = search.run(FEW, seed=1, each_first=True)
    assert not found.differences, "\n".join(found.differences)
    assert found.pairs == FEW
    assert len(found.operations) == len(search.operations)
    assert min(found.outcomes[outcome] for outcome in get_args(Outcome)) > 20


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_callers_get_what_the_model_says_in_many_requests(search: Search) -> None:
    found = search.run(MANY, seed=2, each_first=True)
    print(found.outcomes)
    assert not found.differences, "\n".join(found.differences)
    assert found.pairs == MANY


_require, _permit_table, _key = Policy.require, native.permit_table, response_cache._key
_verify, _counts = TokenSigner.verify, FleetListing.counts
_native_form = api_errors._native_form
_paimon_form = api_errors._FORMS["/paimon/"]


def _forbidden(self: Policy, caller: Any, action: Any, table: Any = None) -> None:
    try:
        _require(self, caller, action, table)
    except TableNotFound as error:
        raise NotAuthorised("not yours") if table and "y" not in table[-1] else error from None


def _late(request: Any, levels: Any) -> None:
    request.app.state.api.services.table(format_name(levels))
    try:
        _permit_table(request, levels)
    except TableNotFound:
        raise NotAuthorised("it is there, but not yours") from None


def _logged(request: Any, levels: Any) -> None:
    with suppress(TableNotFound):
        request.app.state.api.services.table(format_name(levels))
        logging.getLogger("lakemuster.api").info("a table that is there")
    _permit_table(request, levels)


def _with_etag(path: str, failure: Failure) -> Response:
    headers = {"ETag": '"7"'} if "wvk" in path else {}
    return _native_form(path, replace(failure, headers={**failure.headers, **headers}))


def _longer(path: str, failure: Failure) -> Response:
    is_hidden = "wvk" in path and failure.code == "table_not_found"
    return _paimon_form(path, replace(failure, message=failure.message + " " * is_hidden))


def _suggested(request: Any, error: Any) -> Any:
    name = error.context.get("table")
    if name is None:
        return missing_tables.table_not_found(request, error)
    return not_registered(request.app.state.api.services, name)


def _counted(api: Api, _: object) -> bytes:
    figures = MetricSet()
    count_tables(figures, api.services)
    return figures.text()


def _key_of_anyone(scope: Any, body: bytes) -> Any:
    return _key({**scope, "state": {}}, body)


def _of_operator_too(self: TokenSigner, token: str, audience: Audience) -> bytes:
    with suppress(TokenRefused):
        return _verify(self, token, audience)
    return _verify(self, token, replace(audience, caller="operator"))


PLANTED: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "native routes do not ask for the table": lambda m: m.setattr(native, "permit_table", lambda *_: None),
    "Iceberg routes do not ask for the table": lambda m: m.setattr(iceberg_rest, "permit_table", lambda *_: None),
    "Paimon routes do not ask for the table": lambda m: m.setattr(paimon_rest, "permit_table", lambda *_: None),
    "every table is seen": lambda m: m.setattr(Policy, "sees", lambda *_: True),
    "everything of catalogs is seen": lambda m: m.setattr(Policy, "sees_namespace", lambda *_: True),
    "the native lists are not filtered": lambda m: m.setattr(tables, "_sees", lambda *_: None),
    "the Iceberg lists are not filtered": lambda m: m.setattr(Api, "_sees_in", lambda *_: True),
    "the Paimon lists are not filtered": lambda m: m.setattr(Api, "tables", lambda api, *_: api.services.tables()),
    "the list of health is not filtered": lambda m: m.setattr(health, "partial", lambda *_: lambda _: True),
    "health is counted of all tables": lambda m: m.setattr(
        FleetListing, "counts", lambda listing: _counts(replace(listing, sees=None))
    ),
    "events are not filtered": lambda m: m.setattr(events, "_sight", lambda _, wanted, __: wanted.shown),
    "metrics count hidden tables": lambda m: m.setattr(operations, "_of_caller", _counted),
    "tables of catalogs are counted for all": lambda m: m.setattr(
        catalogs, "catalogs_out", lambda services, _: catalogs_out(services)
    ),
    "a table is looked up before the policy is asked": lambda m: m.setattr(native, "permit_table", _late),
    "a hidden table is forbidden, not missing": lambda m: m.setattr(Policy, "require", _forbidden),
    "a header is sent for hidden tables only": lambda m: m.setattr(api_errors, "_native_form", _with_etag),
    "a response is longer for hidden tables": lambda m: m.setitem(api_errors._FORMS, "/paimon/", _longer),
    "a line is logged for hidden tables only": lambda m: m.setattr(iceberg_rest, "permit_table", _logged),
    "errors suggest hidden tables": lambda m: m.setattr(api_errors, "table_not_found", _suggested),
    "tokens of other callers are accepted": lambda m: m.setattr(TokenSigner, "verify", _of_operator_too),
    "cached responses are sent to all callers": lambda m: m.setattr(response_cache, "_key", _key_of_anyone),
    "readers may have snapshots indexed": lambda m: m.setattr(IndexingParameters, "require", lambda *_: None),
    "tables may be added anywhere": lambda m: m.setattr(Policy, "confinement", lambda *_: None),
    "references are told to admins of any table": lambda m: m.setattr(Policy, "require_location", lambda *_: None),
    "webhooks are shown to admins of any table": lambda m: m.setattr(Policy, "require_everything", lambda *_: None),
}


@pytest.mark.parametrize("leak", PLANTED)
def test_planted_leaks_are_detected(leak: str, search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[leak](monkeypatch)
    found = search.run(CAUGHT_WITHIN, CATCHING_SEED, most=1)
    assert found.differences
