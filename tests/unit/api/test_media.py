"""Content negotiation."""

from __future__ import annotations

import pytest

from lakemuster.api.media import ARROW, JSON, NDJSON, choose
from lakemuster.errors import NotAcceptable


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON),
        (NDJSON, NDJSON),
        (ARROW, ARROW),
        (ARROW.upper(), ARROW),
        (f"{JSON};q=0.5, {ARROW}", ARROW),
        (f"{ARROW};q=0.1, {NDJSON};q=0.2", NDJSON),
        (f"*/*, {JSON};q=0", NDJSON),
        (f"{NDJSON}; charset=utf-8", NDJSON),
    ],
)
def test_the_accepted_media_type_of_highest_quality_is_chosen(accept: str | None, expected: str) -> None:
    assert choose(accept) == expected


@pytest.mark.parametrize("accept", ["text/html", "application/parquet", f"{JSON};q=0", "*/*;q=0", ";;,", "*/*;q=x"])
def test_an_error_names_the_available_media_types(accept: str) -> None:
    with pytest.raises(NotAcceptable):
        choose(accept)
