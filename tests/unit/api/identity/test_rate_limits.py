"""Rate limits count each kind of request per owner, and responses say when to retry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from lakemuster.api.identity import rate_limits
from lakemuster.api.identity.rate_limits import RateLimits
from lakemuster.api.identity.tokens import token_entry
from lakemuster.errors import RateLimited
from tests.clocks import SteppedClock
from tests.unit.api.conftest import Connect

FILES = "/api/v1/tables/shop.orders/files"


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_a_bucket_fills_at_its_rate() -> None:
    clock = SteppedClock()
    limits = RateLimits({"questions": (10, 60.0)}, clock=clock)
    for _ in range(10):
        limits.take("questions", "ann")
    with pytest.raises(RateLimited) as refused:
        limits.take("questions", "ann")
    assert 5 < refused.value.seconds <= 6
    limits.take("questions", "bob")
    limits.take("refreshes", "ann")
    clock.pass_seconds(refused.value.seconds)
    limits.take("questions", "ann")
    with pytest.raises(RateLimited):
        limits.take("questions", "ann")


def test_a_check_counts_nothing() -> None:
    limits = RateLimits({"wrong_tokens": (2, 3600.0)})
    for _ in range(5):
        limits.check("wrong_tokens", "ann")
    limits.take("wrong_tokens", "ann")
    limits.check("wrong_tokens", "ann")
    limits.take("wrong_tokens", "ann")
    with pytest.raises(RateLimited):
        limits.check("wrong_tokens", "ann")


def test_workers_share_a_limit_out() -> None:
    limits = RateLimits({"questions": (8, 3600.0)}, workers=4)
    limits.take("questions", "ann")
    limits.take("questions", "ann")
    with pytest.raises(RateLimited):
        limits.take("questions", "ann")


def test_owners_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MAX_BUCKETS", 3)
    limits = RateLimits({"questions": (1, 3600.0)})
    for number in range(100):
        limits.take("questions", f"owner {number}")
    assert len(limits._buckets) == 3


Limited = Callable[..., TestClient]


@pytest.fixture
def limited(connect: Connect, tmp_path: Path) -> Limited:
    """A function that creates a client of an app with two tokens and hourly limits."""

    def made(**rates: int) -> TestClient:
        path = tmp_path / "tokens.toml"
        path.write_text(token_entry("ann", "a", "index") + token_entry("bob", "b", "read", ["web"]), "utf-8")
        return connect(tokens=str(path), rate_limits={kind: f"{count}/hour" for kind, count in rates.items()})

    return made


def test_questions_are_refused_with_the_time_to_wait(limited: Limited) -> None:
    client = limited(questions=3)
    answers = [client.get(f"{FILES}?page_size={size}", headers=bearer("a")) for size in range(1, 6)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    assert answers[-1].json()["error"]["code"] == "rate_limited"
    assert 1100 < int(answers[-1].headers["retry-after"]) <= 1200
    assert client.get("/api/v1/tables", headers=bearer("a")).status_code == 200
    rest = client.get("/iceberg/v1/namespaces/shop/tables/orders", headers=bearer("a"))
    assert (rest.status_code, rest.json()["error"]["type"]) == (429, "TooManyRequestsException")


def test_a_hidden_table_counts_like_a_missing_one(limited: Limited) -> None:
    client = limited(questions=2)
    for name in ("shop.orders", "shop.none"):
        path = FILES.replace("shop.orders", name)
        assert client.get(path, headers=bearer("b")).status_code == 404
    for name in ("shop.orders", "shop.none"):
        path = FILES.replace("shop.orders", name)
        assert client.get(path, headers=bearer("b")).status_code == 429


def test_refreshes_have_a_limit_of_their_own(limited: Limited) -> None:
    client = limited(refreshes=1, questions=1)
    path = "/api/v1/tables/shop.orders/refresh"
    assert [client.post(path, headers=bearer("a")).status_code for _ in range(2)] == [200, 429]
    assert client.get(FILES, headers=bearer("a")).status_code == 200


def test_wrong_tokens_are_refused_and_known_ones_go_on(limited: Limited) -> None:
    client = limited(wrong_tokens=2)
    wrong = [client.get("/api/v1/tables", headers=bearer(f"wrong {number}")).status_code for number in range(4)]
    assert wrong == [401, 401, 429, 429]
    assert client.get("/api/v1/tables", headers=bearer("a")).status_code == 200


def test_without_a_setting_there_is_no_limit(limited: Limited) -> None:
    client = limited()
    assert {client.get("/api/v1/tables", headers=bearer("x")).status_code for _ in range(50)} == {401}
