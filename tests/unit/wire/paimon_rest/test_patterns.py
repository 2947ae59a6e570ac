"""Name patterns of the protocol."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakemuster.errors import RequestInvalid
from lakemuster.wire.paimon_rest.patterns import NamePattern


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        (None, ["", "a"], []),
        ("", ["", "a"], []),
        ("%", ["", "a"], []),
        ("%%", ["", "a"], []),
        ("ab", ["ab"], ["", "a", "abc"]),
        ("ab%", ["ab", "abc"], ["", "a", "xab"]),
        ("a_", ["a_"], ["ab"]),
        ("a.*", ["a.*"], ["ab"]),
        ("a\\%", ["a%"], ["a", "ab"]),
        ("a\\%%", ["a%", "a%b"], ["a", "ab"]),
        ("a\\\\%", ["a\\", "a\\b"], ["a", "a%"]),
        ("a\\b", ["ab"], ["a\\b"]),
    ],
)
def test_names_that_match(pattern: str | None, matching: list[str], others: list[str]) -> None:
    read = NamePattern.of(pattern)
    assert [name for name in matching if not read.matches(name)] == []
    assert [name for name in others if read.matches(name)] == []


@pytest.mark.parametrize("pattern", ["%a", "a%b", "%\\%", "a%\\b"])
def test_only_prefixes_can_be_asked_for(pattern: str) -> None:
    with pytest.raises(RequestInvalid, match="only at its end"):
        NamePattern.of(pattern)


@given(name=st.text(max_size=8), more=st.text(max_size=3))
def test_an_escaped_name_matches_itself_only(name: str, more: str) -> None:
    escaped = "".join(f"\\{character}" if character in "\\%" else character for character in name)
    if name:
        assert NamePattern.of(escaped).matches(name + more) == (not more)
    assert NamePattern.of(f"{escaped}%").matches(name + more)
