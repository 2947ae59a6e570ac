"""A token is accepted only for the audience that it was signed for."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.catalog.token_signing import Audience, TokenRefused, TokenSigner

SIGNER = TokenSigner(b"k" * 32)
names = st.text(max_size=3)
audiences = st.builds(Audience, st.integers(0, 2), names, st.dictionaries(names, names, max_size=2), names)


@given(st.binary(), audiences)
def test_a_token_holds_its_contents(contents: bytes, audience: Audience) -> None:
    token = SIGNER.sign(contents, audience)
    assert SIGNER.verify(token, audience) == contents
    assert token.replace("-", "").replace("_", "").isalnum()


@given(audiences, audiences)
def test_a_token_is_accepted_for_its_own_audience_only(signed: Audience, asked: Audience) -> None:
    token = SIGNER.sign(b"contents", signed)
    if signed == asked:
        assert SIGNER.verify(token, asked) == b"contents"
    else:
        with pytest.raises(TokenRefused):
            SIGNER.verify(token, asked)


def test_a_token_of_one_purpose_is_refused_for_another() -> None:
    task = Audience(7, "plan-task", {}, "me")
    with pytest.raises(TokenRefused):
        SIGNER.verify(SIGNER.sign(b"contents", task), dataclasses.replace(task, purpose="plan-id"))


def test_tokens_signed_by_earlier_versions_are_accepted() -> None:
    token = "vWoKNIA89hlZnACeLzIDSWNvbnRlbnRz"
    assert SIGNER.sign(b"contents", Audience(7, "files", {"content": "data"}, "me")) == token
