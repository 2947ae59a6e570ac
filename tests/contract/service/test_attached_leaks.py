"""No response reveals a table that an attached catalog does not let the caller load; planted leaks are detected."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from lakemuster.api import errors as api_errors
from lakemuster.api import missing_tables
from lakemuster.api.identity.policy import Policy
from lakemuster.api.native import catalogs, dependencies
from lakemuster.api.shared import Api
from lakemuster.api.sidecar import access, middleware, response_rewrites
from lakemuster.api.sidecar.rights import Rights
from lakemuster.catalog.catalog_documents import catalogs_out
from lakemuster.catalog.iceberg_rest import scan_tasks
from lakemuster.catalog.missing_tables import not_registered
from lakemuster.errors import TableNotFound
from tests.contract.service.attached_lake import TOKENS, Lake, attached, bearer, serving
from tests.contract.service.attached_leaks import HIDDEN, SEEN, Watch, add_hidden
from tests.fake_catalog import fake_catalog

FEW, MANY = 120, 5000
"""Requests in a run for each of the two kinds of rights, each sent for a hidden and a missing table."""
CAUGHT_WITHIN = 1500


@pytest.fixture(scope="module")
def watches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Watch]]:
    """Servers whose outsider may load only the table of orders, and whose insider may load all tables."""
    with ExitStack() as stack:
        # Plans of three files have tasks.
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(scan_tasks, "MAX_FILES", 1)
        yield {auth: watch_of(auth, tmp_path_factory.mktemp(auth), stack) for auth in ("forward", "service")}


def watch_of(auth: str, folder: Path, stack: ExitStack) -> Watch:
    lake = Lake(folder, stack.enter_context(fake_catalog()))
    add_hidden(lake)
    lake.fake.rights = {"own-principal": {SEEN, *HIDDEN}, "alice": {SEEN}, "bob": {SEEN, *HIDDEN}}
    hidden: tuple[tuple[str, ...], ...] = HIDDEN
    outsider, insider = bearer("alice"), bearer("bob")
    if auth == "service":
        # The server's own rights are for namespaces, so the hidden table is in a namespace of its own.
        del lake.fake.tables[HIDDEN[1]]
        hidden, outsider, insider = HIDDEN[:1], bearer("reads-the-shop"), bearer("whole-catalog")
    (folder / "tokens.toml").write_text(TOKENS)
    properties = {"token": "own-principal", "auth": auth}
    services = stack.enter_context(attached(lake, folder, tokens=f"{folder}/tokens.toml", properties=properties))
    client = stack.enter_context(contextmanager(serving)(services))
    return Watch(client, lake, hidden, outsider, insider)


@pytest.fixture
def watch(request: pytest.FixtureRequest, watches: dict[str, Watch]) -> Watch:
    return watches[request.param]


BOTH = pytest.mark.parametrize("watch", ["forward", "service"], indirect=True)


@BOTH
def test_nothing_tells_of_a_table_that_may_not_be_loaded(watch: Watch) -> None:
    assert list(watch.leaks(FEW)) == []


@BOTH
@pytest.mark.full
def test_nothing_tells_of_it_in_many_requests(watch: Watch) -> None:
    assert list(watch.leaks(MANY)) == []


_require_access, _permit_at_catalog = access.require_access, dependencies.permit_at_catalog
_native_form, _table_not_found = api_errors._native_form, missing_tables.table_not_found


async def _late(request: Any, levels: Any) -> None:
    request.app.state.api.services.table(".".join(levels))
    await _permit_at_catalog(request, levels)


async def _logged(request: Any, levels: Any) -> None:
    with suppress(TableNotFound):
        request.app.state.api.services.peek(".".join(levels))
        logging.getLogger("lakemuster.api").info("a table that is there")
    await _permit_at_catalog(request, levels)


async def _not_asked(*_: Any) -> None:
    return


async def _remembered(self: Rights, catalog: Any, levels: Any, request: Any) -> None:
    if any(key[:2] == (catalog.name, levels) for key in self._until):
        return
    await _require(self, catalog, levels, request)


_require = Rights.require


def _with_etag(path: str, failure: Any) -> Response:
    headers = {"ETag": '"7"'} if "secrets" in path or "zecrets" in path else {}
    return _native_form(path, replace(failure, headers={**failure.headers, **headers}))


def _suggested(request: Any, error: Any) -> Any:
    name = error.context.get("table")
    return not_registered(request.app.state.api.services, name) if name else _table_not_found(request, error)


def _parents_not_asked(policy: Any, caller: Any, method: str, request: Any) -> None:
    if not request.parents:
        _require_access(policy, caller, method, request)


Plant = Callable[[pytest.MonkeyPatch], None]
PLANTED: dict[str, tuple[str, Plant]] = {
    "the catalog is not asked whether the caller may load the table": (
        "forward",
        lambda m: m.setattr(dependencies, "permit_at_catalog", _not_asked),
    ),
    "one caller's right is remembered for all": ("forward", lambda m: m.setattr(Rights, "require", _remembered)),
    "our own principal's rights decide": (
        "forward",
        lambda m: m.setattr(
            "lakemuster.api.sidecar.rights._signs_in", lambda *_: [("Authorization", "Bearer own-principal")]
        ),
    ),
    "the index is looked up before the catalog is asked": (
        "forward",
        lambda m: m.setattr(dependencies, "permit_at_catalog", _late),
    ),
    "a line is logged for tables that are indexed": (
        "forward",
        lambda m: m.setattr(dependencies, "permit_at_catalog", _logged),
    ),
    "errors name what is like the table asked for": (
        "forward",
        lambda m: m.setattr(api_errors, "table_not_found", _suggested),
    ),
    "a header is sent for hidden tables only": ("forward", lambda m: m.setattr(api_errors, "_native_form", _with_etag)),
    "lists show the catalog's tables to everybody": (
        "service",
        lambda m: m.setattr(Api, "_sees_in", lambda *_: True),
    ),
    "the catalog's lists are not filtered": (
        "service",
        lambda m: m.setattr(response_rewrites, "listing", lambda body, **_: body),
    ),
    "a list of children is not asked for its parent": (
        "service",
        lambda m: m.setattr(middleware, "require_access", _parents_not_asked),
    ),
    "paths of tables pass with our principal": (
        "service",
        lambda m: m.setattr(middleware, "require_access", lambda *_: None),
    ),
    "all tables of a catalog are counted": (
        "service",
        lambda m: m.setattr(catalogs, "catalogs_out", lambda services, _: catalogs_out(services)),
    ),
    "every table is seen": (
        "service",
        lambda m: m.setattr(Policy, "sees", lambda *_: True),
    ),
}


@pytest.mark.parametrize(
    ("watch", "leak"), [(kind, leak) for leak, (kind, _) in PLANTED.items()], indirect=["watch"], ids=list(PLANTED)
)
def test_planted_leaks_are_noticed(leak: str, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[leak][1](monkeypatch)
    assert next(watch.leaks(CAUGHT_WITHIN), None) is not None
