"""The error for a missing table: suggested names, their visibility, and their cost."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from lakemuster.catalog import missing_tables
from lakemuster.errors import IndexUnavailable
from tests.unit.api.conftest import FakeServices, table

NATIVE = "/api/v1/tables"


def registered(services: FakeServices, *names: str, format: str = "iceberg") -> None:
    for name in names:
        services.names[name] = table(name, 50 + len(services.names))
        services.names[name].format = format


def message(client: TestClient, path: str, token: str | None = None) -> str:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = client.get(path, headers=headers)
    assert answer.status_code == 404
    document = answer.json()
    text = document.get("error", document)["message"]
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("shop.order", " (did you mean shop.orders?)"),
        ("Shop.ORDERS", " (did you mean shop.orders?)"),
        ("market.orders", " (did you mean shop.orders?)"),
        ("lake.raw.event", " (did you mean lake.raw.events?)"),
        ("a.b.t", " (did you mean `a.b`.t?)"),
        ("shop.nothing", ""),
        ("orders.shop", ""),
    ],
)
def test_similar_names_are_suggested(client: TestClient, name: str, hint: str) -> None:
    assert message(client, f"{NATIVE}/{name}") == f"table {name} is not registered{hint}"


def test_at_most_three_names_are_suggested(client: TestClient, services: FakeServices) -> None:
    registered(services, *(f"shop.part{number}" for number in range(9)))
    assert message(client, f"{NATIVE}/shop.part").count("shop.part") == 1 + missing_tables.MAX_SUGGESTIONS


def test_only_visible_names_are_suggested(with_tokens: TestClient, services: FakeServices) -> None:
    registered(services, "lake.raw.orders", "shop.events")
    assert message(with_tokens, f"{NATIVE}/shop.order", "r").endswith("(did you mean shop.orders?)")
    assert message(with_tokens, f"{NATIVE}/lake.raw.order", "r") == "table lake.raw.order is not registered"
    # The error for a hidden table is that for a missing one, with similar visible names.
    hidden = message(with_tokens, f"{NATIVE}/lake.raw.events", "r")
    assert hidden == "table lake.raw.events is not registered (did you mean shop.events?)"
    assert message(with_tokens, f"{NATIVE}/lake.raw.order", "a").endswith("(did you mean lake.raw.orders?)")


def test_many_hidden_tables_do_not_displace_visible_ones(
    with_tokens: TestClient, services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_tables, "MAX_COMPARED", 2)
    visible = services.names.pop("shop.orders")
    registered(services, *(f"lake.raw.n{number}" for number in range(20)))
    services.names["shop.orders"] = visible
    assert message(with_tokens, f"{NATIVE}/shop.order", "r").endswith("(did you mean shop.orders?)")


def test_each_protocol_suggests_the_tables_that_it_shows(client: TestClient, services: FakeServices) -> None:
    registered(services, "shop.ordera", "shop.order$", format="paimon")
    registered(services, "order")
    iceberg = message(client, "/iceberg/v1/namespaces/shop/tables/order")
    assert iceberg == "table shop.order is not registered (did you mean shop.orders?)"
    paimon = message(client, "/paimon/v1/lakemuster/databases/shop/tables/order")
    assert paimon == "table shop.order is not registered (did you mean shop.ordera?)"


def test_names_are_read_for_error_bodies_only(client: TestClient, services: FakeServices) -> None:
    assert client.get(f"{NATIVE}/shop.orders").status_code == 200
    assert client.head("/iceberg/v1/namespaces/shop/tables/order").status_code == 404
    assert not [call for call in services.calls if call[0] == "similar_names"]
    assert message(client, f"{NATIVE}/shop.order")
    assert [call for call in services.calls if call[0] == "similar_names"]


def test_without_the_index_the_answer_is_the_same_without_suggestions(
    client: TestClient, services: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise IndexUnavailable("the database does not answer")

    monkeypatch.setattr(services, "similar_names", fails)
    assert message(client, f"{NATIVE}/shop.order") == "table shop.order is not registered"


def test_a_long_name_is_cut(client: TestClient) -> None:
    text = message(client, f"{NATIVE}/shop.{'x' * 900}")
    assert len(text) < 300
