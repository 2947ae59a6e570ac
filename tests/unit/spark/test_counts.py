"""Row counts come from the server's metadata where exact, else from the data source at the same snapshot."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from lakemuster.client import Client
from lakemuster.spark import counts
from tests.unit.client.answers import page

EXACT = {"aggregate": "count", "exact": True, "value": 7}
OPEN = {"aggregate": "count", "exact": False, "lower": 0, "upper": 9, "may_be_null": False, "reason": "merged"}

ZONE = "spark.sql.session.timeZone"
SCHEMAS = [
    {"fields": [{"name": "At", "type": "timestamptz"}, {"name": "day", "type": "int"}]},
    {"fields": [{"name": "seen", "type": {"type": "ROW", "fields": [{"type": "TIMESTAMP(6) WITH LOCAL TIME ZONE"}]}}]},
]


class Frame:
    """A stand-in for Spark's reader that records its options."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def format(self, name: str) -> Frame:
        assert name == "lakemuster"
        return self

    def option(self, name: str, value: str) -> Frame:
        return self.options(**{name: value})

    def options(self, **options: str) -> Frame:
        self.asked |= options
        return self

    def load(self, name: str) -> Frame:
        return self.options(table=name)

    def where(self, condition: str) -> Frame:
        return self.options(where=condition)

    def count(self) -> int:
        return 4


def counted(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], where: str = "day > 1", zone: str = "UTC", **choice: Any
) -> tuple[int, Frame, Any]:
    """Count rows with a server that gives one answer; return the count, the reader, and the server's requests."""
    asked: list[Any] = []

    def answers(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.path, request.read()))
        if request.url.path.endswith("/schemas"):
            return page("schemas", SCHEMAS)
        return httpx.Response(200, json={"snapshot_id": "5", "statistics": [answer], "stale": None})

    monkeypatch.setattr(counts, "Client", lambda uri, token: Client(uri, token, transport=httpx.MockTransport(answers)))
    frame = Frame()
    spark = SimpleNamespace(read=frame, conf=SimpleNamespace(get={ZONE: zone}.get))
    number = counts.count(cast("Any", spark), "http://lake", "shop.orders", where, **choice)
    return number, frame, asked


def test_an_exact_answer_is_the_count_and_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    number, frame, asked = counted(monkeypatch, EXACT)
    assert (number, frame.asked) == (7, {})
    assert asked[0][0] == "/api/v1/tables/shop.orders/statistics"
    assert b'"greatest"' in asked[0][1]  # Spark's order of NaN


@pytest.mark.parametrize("where", ["at > TIMESTAMP '2024-05-01 00:00:00'", "seen.at > DATE '2024-05-01'"])
def test_times_of_another_zone_than_utc_are_compared_by_spark(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    number, frame, asked = counted(monkeypatch, EXACT, where, "America/New_York")
    assert (number, frame.asked["where"]) == (4, where)
    assert [path for path, _ in asked] == ["/api/v1/tables/shop.orders/schemas"]
    assert counted(monkeypatch, EXACT, where, "Etc/UTC")[0] == 7
    assert counted(monkeypatch, EXACT, "day > 1", "America/New_York")[0] == 7


def test_otherwise_the_data_source_reads_the_same_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    number, frame, _ = counted(monkeypatch, OPEN, as_of="2024-05-01T00:00:00Z")
    assert number == 4
    assert frame.asked == {"uri": "http://lake", "snapshot_id": "5", "table": "shop.orders", "where": "day > 1"}


def test_the_current_snapshot_is_read_with_the_newest_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "snapshot_id" not in counted(monkeypatch, OPEN)[1].asked


def test_a_branch_is_read_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert counted(monkeypatch, OPEN, ref="dev")[1].asked["ref"] == "dev"
