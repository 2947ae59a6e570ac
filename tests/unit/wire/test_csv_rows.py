"""CSV round-trips through a reader of RFC 4180, and spreadsheets run no formulas from it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.wire.csv_rows import cells_of, csv_lines


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), min_size=2)))
def test_a_reader_gets_every_text_back_but_for_formulas(rows: list[list[str]]) -> None:
    text = csv_lines(rows).decode()
    found = list(csv.reader(io.StringIO(text, newline="")))
    assert [[cell.removeprefix("'") for cell in row] for row in found] == [
        [cell.removeprefix("'") for cell in row] for row in rows
    ]


@pytest.mark.parametrize("text", ["=1+1", "+a", "-a", "@SUM(A1)", "\t=1", "\r=1", "-1-2", "-", "+1e5x", "-0x1"])
def test_a_formula_becomes_text(text: str) -> None:
    ((found,),) = csv.reader(io.StringIO(csv_lines([[text]]).decode(), newline=""))
    assert found == f"'{text}"


@pytest.mark.parametrize("text", ["-1", "+1", "-1.5", "-1e10", "-9223372036854775808", "-Infinity", "a=b", "1-2"])
def test_numbers_and_plain_text_stay(text: str) -> None:
    assert csv_lines([[text]]) == text.encode() + b"\r\n"


def test_values_that_are_no_text() -> None:
    assert csv_lines([[None, "", True, -5, 1.5, {"a": "="}, [1]]]) == b',"",true,-5,1.5,"{""a"":""=""}",[1]\r\n'


def test_keys_without_a_column_go_to_extra() -> None:
    assert cells_of({"a": 1, "b": 2}, ["a", "extra", "c"]) == [1, {"b": 2}, None]
    assert cells_of({"a": 1}, ["a", "extra"]) == [1, None]
    assert cells_of({"a": 1, "b": 2}, ["a"]) == [1]
