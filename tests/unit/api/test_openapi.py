"""The OpenAPI document: YAML, parts, validity."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import yaml
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.api.errors import STATUS
from lakemuster.api.openapi import PARTS, render
from lakemuster.cli.service import ApiName
from tests.beside import python_of
from tests.openapi_yaml import read

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


_DOCUMENTS: list[dict[str, Any]] = []


@pytest.fixture
def app(client: TestClient) -> FastAPI:
    """An app whose document is that of the first test's app: computing it takes longer than the tests."""
    app = cast("FastAPI", client.app)
    if _DOCUMENTS:
        (app.openapi_schema,) = _DOCUMENTS
    else:
        _DOCUMENTS.append(app.openapi())
    return app


def test_the_committed_document_is_the_apps(app: FastAPI, repository: Path) -> None:
    assert (repository / "openapi.yaml").read_text("utf-8") == render(app), "run make openapi"


@pytest.fixture(scope="module")
def whole(repository: Path) -> dict[str, Any]:
    return read((repository / "openapi.yaml").read_text("utf-8"))


def part(app: FastAPI, name: str) -> dict[str, Any]:
    return read(render(app, name))


def names(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(kind, name) for kind, named in document["components"].items() for name in named}


def referred(node: object) -> Iterator[tuple[str, str]]:
    """Yield kind and name of the components that a document refers to, and its security schemes."""
    text = json.dumps(node)
    for reference in text.split('"#/components/')[1:]:
        kind, name = reference.partition('"')[0].split("/")
        yield kind, name
    if '"security": [{"token"' in text:
        yield "securitySchemes", "token"


@pytest.mark.parametrize("name", PARTS)
def test_the_document_of_one_api_has_its_paths_and_what_they_refer_to(
    app: FastAPI, whole: dict[str, Any], name: str
) -> None:
    found = part(app, name)
    assert found["paths"] == {path: whole["paths"][path] for path in found["paths"]}
    assert set(referred(found)) == names(found)
    for kind, component in names(found):
        assert found["components"][kind][component] == whole["components"][kind][component]
    tags = {tag for path in found["paths"].values() for operation in path.values() for tag in operation["tags"]}
    assert (tags & {"iceberg", "paimon"}) == {name} - {"native"}
    assert found["info"]["title"] != whole["info"]["title"] or name == "native"


def test_every_path_and_component_is_in_the_document_of_an_api(app: FastAPI, whole: dict[str, Any]) -> None:
    parts = [part(app, name) for name in PARTS]
    assert Counter(path for found in parts for path in found["paths"]) == dict.fromkeys(whole["paths"], 1)
    assert {name for found in parts for name in names(found)} == names(whole)


def test_the_command_describes_every_api() -> None:
    assert [name.value for name in ApiName] == list(PARTS)


VALIDATE = """
import json, sys
from openapi_spec_validator import validate
try:
    validate(json.load(sys.stdin))
except Exception as problem:
    sys.exit(str(problem)[:2000])
"""


def judged(document: dict[str, Any]) -> str:
    """Return the validator's errors for a document; empty if it is valid."""
    command = [str(python_of("requirements-openapi.lock")), "-I", "-c", VALIDATE]
    return subprocess.run(
        command, input=json.dumps(document), capture_output=True, text=True, timeout=240, check=False
    ).stderr


WHOLE = pytest.param(None, marks=pytest.mark.full, id="whole")
"""The whole document; each of its paths and components is also in one of the parts."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [WHOLE, *PARTS])
def test_each_document_is_valid_by_itself(app: FastAPI, name: str | None) -> None:
    found = app.openapi() if name is None else part(app, name)
    assert judged(found) == ""


@pytest.mark.slow
def test_the_validator_refuses_a_document_without_a_component(app: FastAPI) -> None:
    found = part(app, "paimon")
    assert found["components"]["schemas"].pop("PaimonErrorResponse")
    assert "PaimonErrorResponse" in judged(found)


def test_every_status_that_an_error_has_is_documented(app: FastAPI) -> None:
    document = app.openapi()
    documented = {
        status for path in document["paths"].values() for verb in path.values() for status in verb["responses"]
    }
    assert {str(status) for status in STATUS.values()} <= documented
    assert "422" not in documented


def test_the_documentation_names_every_path_and_loads_no_resource(app: FastAPI, client: TestClient) -> None:
    answer = client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    for path in app.openapi()["paths"]:
        assert path in answer.text
    assert "<script" not in answer.text
    assert "://" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
