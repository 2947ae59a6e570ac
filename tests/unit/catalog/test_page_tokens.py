"""A page token restores its position, for one list and one caller only."""

from __future__ import annotations

import dataclasses
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.catalog.page_tokens import Pin, Place, read_token, write_token
from lakemuster.catalog.token_signing import Audience, TokenSigner
from lakemuster.errors import PageTokenInvalid

SIGNER = TokenSigner(b"k" * 32)
AUDIENCE = Audience(7, "files", {"content": "data"}, "dashboards")
PLACE = Place((Pin(3051729675574597004, "main", 12),), (3, 4096))

keys = st.lists(st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=["Cs"])), max_size=3)
pins = st.lists(
    st.builds(
        Pin,
        st.integers(-(2**63), 2**63 - 1),
        st.sampled_from(["main", "b1"]),
        st.integers(0, 2**63 - 1),
        st.none() | st.integers(0, 9),
    ),
    max_size=2,
)


@given(pins, keys)
def test_a_token_leads_back_to_its_place(pins: list[Pin], key: list[int | str]) -> None:
    place = Place(tuple(pins), tuple(key))
    assert read_token(write_token(place, AUDIENCE, SIGNER), AUDIENCE, SIGNER) == place


@pytest.mark.parametrize(
    "other",
    [
        dataclasses.replace(AUDIENCE, table_id=8),
        dataclasses.replace(AUDIENCE, purpose="entries"),
        dataclasses.replace(AUDIENCE, parameters={}),
        dataclasses.replace(AUDIENCE, parameters={"content": "changelog"}),
        dataclasses.replace(AUDIENCE, caller="anonymous"),
    ],
)
def test_a_token_of_another_list_or_caller_is_refused(other: Audience) -> None:
    token = write_token(PLACE, AUDIENCE, SIGNER)
    with pytest.raises(PageTokenInvalid):
        read_token(token, other, SIGNER)


def test_a_token_of_another_key_is_refused() -> None:
    with pytest.raises(PageTokenInvalid):
        read_token(write_token(PLACE, AUDIENCE, SIGNER), AUDIENCE, TokenSigner(b"j" * 32))


@given(st.data())
def test_a_changed_token_is_refused(data: st.DataObject) -> None:
    token = write_token(PLACE, AUDIENCE, SIGNER)
    at = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.sampled_from("ABCxyz019-_").filter(lambda c: c != token[at]))
    with pytest.raises(PageTokenInvalid):
        read_token(token[:at] + other + token[at + 1 :], AUDIENCE, SIGNER)


def test_a_token_has_one_spelling() -> None:
    token = write_token(PLACE, AUDIENCE, SIGNER)
    alike = [token[:-1] + last for last in string.printable if last != token[-1]]
    for other in (*alike, token + "=", token + "==", token + "A", f" {token}", f"{token}\n"):
        with pytest.raises(PageTokenInvalid):
            read_token(other, AUDIENCE, SIGNER)


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda raw: raw.hex()))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(PageTokenInvalid):
        read_token(text, AUDIENCE, SIGNER)


def test_a_cut_token_is_refused() -> None:
    token = write_token(PLACE, AUDIENCE, SIGNER)
    for length in range(0, len(token) - 1, 3):
        with pytest.raises(PageTokenInvalid):
            read_token(token[:length], AUDIENCE, SIGNER)
