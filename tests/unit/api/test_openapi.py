"""The YAML of OpenAPI documents."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import yaml
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.api.errors import STATUS
from lakemuster.api.openapi import render

text = st.text(max_size=12) | st.sampled_from(
    ["yes", "Null", "- a", "a: b", "#", "1", "1e3", "2024-01-01", "=", "{x}", "a\nb"]
)
documents = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(text, documents, max_size=4))
def test_the_yaml_equals_the_document(document: dict[str, object]) -> None:
    app = FastAPI()
    app.openapi_schema = document or {"openapi": "3.1.0"}
    assert yaml.safe_load(render(app)) == app.openapi_schema


def test_the_committed_document_is_the_apps(client: TestClient, repository: Path) -> None:
    assert (repository / "openapi.yaml").read_text("utf-8") == render(cast("FastAPI", client.app)), "run make openapi"


def test_every_status_that_an_error_has_is_documented(client: TestClient) -> None:
    document = cast("FastAPI", client.app).openapi()
    documented = {
        status for path in document["paths"].values() for verb in path.values() for status in verb["responses"]
    }
    assert {str(status) for status in STATUS.values()} <= documented
    assert "422" not in documented


def test_the_root_redirects_to_the_documentation(client: TestClient) -> None:
    answer = client.get("/", follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == "docs"
    assert client.get("/").content == client.get("/docs").content


def test_the_documentation_names_every_path_and_loads_no_resource(client: TestClient) -> None:
    answer = client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    for path in cast("FastAPI", client.app).openapi()["paths"]:
        assert path in answer.text
    assert "<script" not in answer.text
    assert "://" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
