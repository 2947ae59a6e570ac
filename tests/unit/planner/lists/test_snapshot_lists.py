"""Parameters that the lists of a snapshot accept."""

from __future__ import annotations

import pytest

from lakemuster.errors import RequestInvalid
from lakemuster.planner.lists.snapshot_lists import checked_contents


def test_contents_are_selected_by_name() -> None:
    assert checked_contents(None) is None
    assert checked_contents(["data", "changelog"]) == frozenset({"data", "changelog"})


@pytest.mark.parametrize("content", [[], ["date"], ["data", "DATA"]])
def test_an_empty_list_of_contents_is_refused(content: list[str]) -> None:
    with pytest.raises(RequestInvalid, match="content must be one of data, "):
        checked_contents(content)
