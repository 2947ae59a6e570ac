"""The YAML of OpenAPI documents."""

from __future__ import annotations

import yaml
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

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
def test_the_yaml_says_what_the_document_says(document: dict[str, object]) -> None:
    app = FastAPI()
    app.openapi_schema = document or {"openapi": "3.1.0"}
    assert yaml.safe_load(render(app)) == app.openapi_schema
