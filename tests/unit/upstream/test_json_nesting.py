"""The end of a nested JSON value is found for any division of its text into blocks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.upstream import json_nesting
from lakemuster.upstream.json_nesting import end_of_nested

WORDS = st.text('{}[]"\\a\u00e9', max_size=8)
VALUES = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=20
)


@given(st.lists(VALUES, max_size=5), st.integers(1, 9), st.integers(1, 9), st.booleans())
def test_the_end_is_that_of_the_value(value: list[Any], first: int, largest: int, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_nesting, "FIRST_BLOCK_BYTES", first)
        patch.setattr(json_nesting, "LARGEST_BLOCK_BYTES", largest)
        assert end_of_nested(b"[" + text + b', {"a": "]"}]', 1) == 1 + len(text)
        assert end_of_nested(text[:-1], 0) is None


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5])
def test_a_run_of_backslashes_escapes_by_twos(length: int) -> None:
    text = b'["' + b"\\" * length + b'"]"]'
    assert end_of_nested(text, 0) == (len(text) if length % 2 else len(text) - 2)


def test_a_value_of_several_blocks_is_read_to_its_end() -> None:
    text = json.dumps([{"a": "]" * 1000, "b": [number]} for number in range(5000)]).encode()
    assert len(text) > 4 * json_nesting.LARGEST_BLOCK_BYTES
    assert end_of_nested(text + b"]", 0) == len(text)
