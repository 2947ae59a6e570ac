"""Members of a JSON object as spans of its text, against Python's parser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.upstream.json_members import JsonObject, NotAnObject, member, members

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=6)
SPACING = st.sampled_from([None, 0, 3])


def written(document: Any, indent: int | None, *, ascii_only: bool = False) -> bytes:
    return json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "replace")


@given(OBJECTS, SPACING, st.booleans())
def test_spans_are_the_members(document: dict[str, Any], indent: int | None, ascii_only: bool) -> None:
    text = written(document, indent, ascii_only=ascii_only)
    parsed = json.loads(text)
    found = {one.name: json.loads(text[one.start : one.end]) for one in members(text)}
    assert found == parsed
    for name, value in parsed.items():
        assert member(text, name) == value


@given(OBJECTS, st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=3), SPACING)
def test_changed_members_are_changed_and_others_keep_their_text(
    document: dict[str, Any], changes: dict[str, Any], indent: int | None
) -> None:
    text = written(document, indent)
    changed = JsonObject(text).with_members(changes)
    assert json.loads(changed) == json.loads(text) | changes
    spans = {one.name: text[one.start : one.end] for one in members(text)}
    kept = {one.name: changed[one.start : one.end] for one in members(changed)}
    assert {name: kept[name] for name in spans if name not in changes} == {
        name: span for name, span in spans.items() if name not in changes
    }


def test_numbers_beyond_any_type_keep_their_digits() -> None:
    text = b'{"metadata": {"large": 12345678901234567890123, "spelled": 1.100e+2}, "config": {}}'
    assert JsonObject(text).with_members({"config": {"a": "b"}}) == text.replace(
        b'"config": {}', b'"config": {"a":"b"}'
    )


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b'"a"', b"{", b'{"a"', b'{"a":', b'{"a": [1', b'{"a": 1', b'{"a": "b}', b'{"a": 1 "b": 2}', b"{a: 1}"],
)
def test_what_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(NotAnObject):
        list(members(text))
