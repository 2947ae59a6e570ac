"""Values are escaped: one line each, without terminal control sequences."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.cli.text import cell, printable


@given(st.text())
def test_printable_text_is_one_line_without_control_characters(text):
    shown = printable(text)
    assert len(shown.splitlines()) <= 1
    assert all(unicodedata.category(character) != "Cc" for character in shown)


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_ordinary_text_stays_as_it_is(text):
    assert printable(text) == text


def test_terminal_escapes_and_reversed_text_are_shown_as_codes():
    assert printable("a\x1b[31mb\u202egnp") == "a\\x1b[31mb\\u202egnp"
    assert printable("a\tb\nc\rd") == "a\\tb\\nc\\rd"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        ("", "-"),
        (0, "0"),
        (True, "true"),
        (False, "false"),
        (1.5, "1.5"),
        ("two words", "two words"),
        ([1, None, "x"], '[1,null,"x"]'),
        ({"a": {"b": 1}}, '{"a":{"b":1}}'),
        ([], "[]"),
    ],
)
def test_each_kind_of_value_is_one_cell(value, shown):
    assert cell(value, "anything") == shown


@pytest.mark.parametrize(
    ("partition", "shown"),
    [
        ({}, "-"),
        ({"day": "2024-05-01", "region": "eu"}, "day=2024-05-01/region=eu"),
        ({"n": 7, "ok": True, "x": None}, "n=7/ok=true/x=null"),
        ({"path": "a/b=c%d"}, "path=a%2Fb%3Dc%25d"),
        ({"a/b": "1"}, "a%2Fb=1"),
    ],
)
def test_partitions_look_like_their_folders(partition, shown):
    assert cell(partition, "partition") == shown
