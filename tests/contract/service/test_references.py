"""``GET /references``: the files that tables refer to below a location, for callers with rights to all tables there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from fastapi.testclient import TestClient
from httpx import Response

from lakemuster import Client
from lakemuster.api.identity.tokens import hash_token
from lakemuster.catalog.services import Services
from lakemuster.client import ClientError
from lakemuster.storage.reference_keys import FileKeys, ReferenceKeys
from lakemuster.storage.spelling import comparable
from tests.apps import create_app
from tests.contract.service.backends import catalog, settings
from tests.contract.service.orphan_lakes import Iceberg, Lake

NAMES = ("a.t0", "a.t1", "b.t2")
ARROW = "application/vnd.apache.arrow.stream"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    folder = tmp_path_factory.mktemp("references")
    lakes = (Lake(folder / f"lake{seed}", seed) for seed in range(40, 80))
    return next(one for one in lakes if len(one.tables) == 3 and isinstance(one.tables["t2"], Iceberg))


@pytest.fixture(scope="module")
def services(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder = tmp_path_factory.mktemp("index")
    root = str(lake.root)
    tokens = {
        "all": 'scope = "admin"',
        "reader": 'scope = "read"',
        "indexer": 'scope = "index"',
        "both": 'scope = "admin"\nnamespaces = ["a", "b"]',
        "part": 'scope = "admin"\nnamespaces = ["a"]',
        "away": 'scope = "admin"\nnamespaces = ["c"]',
        "nowhere": 'scope = "admin"\nnamespaces = ["d"]',
    }
    text = "".join(
        f'[[token]]\nname = "{name}"\nsha256 = "{hash_token(name)}"\n{lines}\n' for name, lines in tokens.items()
    )
    for name, place in (("a", root), ("b", root), ("c", f"{root}/elsewhere")):
        text += f'[[namespace]]\nname = "{name}"\nlocations = ["{place}"]\n'
    (folder / "tokens.toml").write_text(text)
    with catalog(settings(folder, roots=[root], tokens=str(folder / "tokens.toml"))) as made:
        for name, table in zip(NAMES, lake.tables.values(), strict=True):
            made.add(name, table.url, None, (), operator=True)
        yield made


@pytest.fixture(scope="module")
def http(services: Services) -> TestClient:
    return TestClient(create_app(services), base_url="http://127.0.0.1:8181")


def answer(http: TestClient, token: str, location: object, media: str = ARROW, **more: str) -> Response:
    headers = {"Authorization": f"Bearer {token}", "Accept": media}
    response: Response = http.get("/api/v1/references", params={"location": str(location), **more}, headers=headers)
    return response


def rows(response: Response) -> pa.Table:
    assert response.status_code == 200, response.text
    return pa.ipc.open_stream(response.content).read_all()


def test_the_references_are_those_of_all_tables_there(http: TestClient, lake: Lake) -> None:
    table = rows(answer(http, "all", lake.root))
    known = ReferenceKeys(comparable)
    keys = {key for batch in table.to_batches() for key in known.keys(batch).tolist()}
    paths = sorted(path.removeprefix(f"{lake.root}/") for path in lake.references())
    made, of = FileKeys(str(lake.root), comparable, known.roots).keys(paths)
    assert {row for row, key in zip(of, made.tolist(), strict=True) if key in keys} == set(range(len(paths)))
    assert {"data", "manifest", "manifest-list"} <= set(table.column("kind").to_pylist())


def test_each_form_has_the_same_rows_and_proves_its_end(http: TestClient, lake: Lake) -> None:
    table = rows(answer(http, "all", lake.root))
    lines = answer(http, "all", lake.root, "application/x-ndjson").text.splitlines()
    assert [json.loads(line) for line in lines[:-1]] == table.to_pylist()
    assert json.loads(lines[-1])["end"]["count"] == table.num_rows
    text = answer(http, "all", lake.root, "text/csv").text
    assert len(text.splitlines()) == table.num_rows + 1
    for media in ("application/json", "image/png"):
        assert answer(http, "all", lake.root, media).status_code == 406


@pytest.mark.parametrize(
    ("token", "status"),
    [("all", 200), ("both", 200), ("part", 403), ("reader", 403), ("indexer", 403), ("away", 403), ("nowhere", 403)],
)
def test_only_admins_of_the_location_and_of_every_table_there_may_know(
    http: TestClient, lake: Lake, token: str, status: int
) -> None:
    response = answer(http, token, lake.root)
    assert response.status_code == status, response.text
    if status == 403:
        assert response.json()["error"]["code"] == "not_authorised"
        assert all(name not in response.text for name in NAMES)
        assert all(table.prefix not in response.text for table in lake.tables.values())


def test_a_part_of_a_location_is_allowed_where_its_tables_are(http: TestClient, lake: Lake) -> None:
    first = lake.tables["t0"]
    expected = 403 if lake.tables["t2"].prefix.startswith(f"{first.prefix}/") else 200
    assert answer(http, "part", first.url).status_code == expected
    assert answer(http, "part", f"{first.url}/nothing").status_code == 200
    assert answer(http, "part", lake.tables["t2"].url).status_code == 403


def test_locations_outside_the_roots_and_wrong_ones_are_refused(http: TestClient, lake: Lake) -> None:
    for location in ("/etc", f"{lake.root}/../x", "data", f"{lake.root}x"):
        assert answer(http, "all", location).status_code == 400
    assert answer(http, "all", lake.root, page_token="x").status_code == 400
    assert answer(http, "all", lake.root, other="x").status_code == 400


def test_what_is_not_known_is_409_and_named(http: TestClient, services: Services, lake: Lake) -> None:
    hint = next(Path(lake.root).rglob("version-hint.text"))
    right = hint.read_text()
    hint.write_text("999")
    try:
        response = answer(http, "all", lake.root)
        error: Any = response.json()["error"]
        assert (response.status_code, error["code"]) == (409, "references_unknown")
        (refused,) = error["refused"]
        assert refused["name"] in NAMES
        assert "999" in refused["reason"]
        # A caller without rights to the table does not learn of it.
        if not refused["name"].startswith("a."):
            assert answer(http, "part", lake.root).status_code == 403
    finally:
        hint.write_text(right)
    assert answer(http, "all", lake.root).status_code == 200


def test_the_client_reads_them_whole_or_fails(http: TestClient, lake: Lake) -> None:
    def passed(request: Any) -> Any:
        own = http.get(str(request.url.copy_with(host="127.0.0.1", port=8181)), headers=dict(request.headers))
        return httpx.Response(own.status_code, headers=own.headers, content=own.content[: cut or None])

    cut = 0
    with Client("http://127.0.0.1:8181", "all", transport=httpx.MockTransport(passed)) as client:
        found = sum(batch.num_rows for batch in client.references(str(lake.root), index=True))
        assert found == rows(answer(http, "all", lake.root)).num_rows
        cut = -300
        with pytest.raises(ClientError, match="incomplete"):
            list(client.references(str(lake.root)))
    cut = 0
    with (
        Client("http://127.0.0.1:8181", "reader", transport=httpx.MockTransport(passed)) as client,
        pytest.raises(ClientError) as refused,
    ):
        list(client.references(str(lake.root)))
    assert refused.value.code == "not_authorised"
