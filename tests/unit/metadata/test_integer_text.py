"""Integers as text are those that Java reads; anything else, however long, is none."""

from __future__ import annotations

import pytest

from lakemuster.metadata.integer_text import parse_int64, parse_size


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        (" 42\n", 42),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
    ],
)
def test_integers_are_read(text, number):
    assert parse_int64(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "-", "--5", "1_000", "1.0", "1e3", "0x10", "²", "٣", "1 0", "9223372036854775808", "1" * 5000, "-" + "9" * 19],
)
def test_other_texts_are_none(text):
    assert parse_int64(text) is None


def test_sizes_are_positive_and_below_the_limit():
    texts = ("3", "0", "-3", "x", "999999999999999999", "1000000000000000000")
    assert [parse_size(text) for text in texts] == [3, None, None, None, 10**18 - 1, None]
