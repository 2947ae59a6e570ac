"""Dotted names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import RequestInvalid
from lakemuster.metadata.names import format_name, parse_name

level = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1, max_size=6)
dotted = st.text("a.`", min_size=1, max_size=6)


@given(st.lists(level | dotted, min_size=1, max_size=4))
def test_a_written_name_reads_back(levels: list[str]) -> None:
    assert parse_name(format_name(levels)) == tuple(levels)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("shop.orders", ("shop", "orders")),
        ("`shop`.orders", ("shop", "orders")),
        ("`a.b`.t", ("a.b", "t")),
        ("`a``b`.t", ("a`b", "t")),
        ("a b.t", ("a b", "t")),
    ],
)
def test_a_level_with_a_dot_stands_in_backticks(text: str, levels: tuple[str, ...]) -> None:
    assert parse_name(text) == levels


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", "`a", "a`b", "``", "`a`b", "a/b", "a\nb", "x" * 1001])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(RequestInvalid):
        parse_name(text)
