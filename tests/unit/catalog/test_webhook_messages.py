"""Webhook messages: their ids, their signatures, and the events that they are made from."""

from __future__ import annotations

import json

import pytest

from lakemuster.catalog.events import ClientEvent
from lakemuster.catalog.webhooks import lost, signed_headers, webhooks_of
from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.index.events import Event
from lakemuster.index.webhooks import Message
from lakemuster.webhook_settings import key_of
from tests.webhook_receiver import KEY, SECRET, Got, is_signed

OTHER = b"o" * 64


def test_a_message_is_signed_as_the_reference_does() -> None:
    """Source: the test vector of the Standard Webhooks libraries."""
    message = Message("msg_p5jXN8AQM9LWM0D4loKWxJek", 1, "x", None, b'{"test": 2432232314}')
    headers = signed_headers(message, [key_of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")], 1_614_265_330)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == (message.message_id, "1614265330")
    assert headers["Content-Type"].startswith("application/cloudevents+json")


def test_each_key_signs() -> None:
    message = Message("1-2", 1, "x", None, "grün".encode())
    got = Got(signed_headers(message, [KEY, OTHER], 7), message.body, is_taken=True)
    assert len(got.headers["webhook-signature"].split()) == 2
    assert is_signed(got, KEY)
    assert is_signed(got, OTHER)
    assert not is_signed(got, b"x" * 32)
    assert not is_signed(Got(got.headers, b"other", is_taken=True), KEY)


@pytest.mark.parametrize(
    ("namespaces", "table", "is_told"),
    [
        ([], "lonely", True),
        (["shop"], "shop.t", True),
        (["shop"], "shop.eu.t", True),
        (["shop"], "shopping.t", False),
        (["shop"], "shop", False),
        (["shop.e*"], "shop.eu.t", True),
        (["shop.e*"], "shop.t", False),
        (["web", "prod.sales*"], "prod.sales_eu.t", True),
        (["`a.b`"], "`a.b`.t", True),
        (["`a.b`"], "a.b.t", False),
    ],
)
def test_a_webhook_is_told_of_its_namespaces(namespaces: list[str], table: str, is_told: bool) -> None:
    hook = {"url": "https://a", "secret": SECRET, "namespaces": namespaces}
    [webhook] = webhooks_of(load_settings(webhooks={"lake": hook}))
    message = webhook.message(ClientEvent(Event(7, "table.altered", table, 1000, {})))
    assert (message is not None) == is_told
    if message is not None:
        assert (message.message_id, message.subject) == ("7-1000", table)


def test_a_table_that_leaves_the_namespaces_is_told_to_be_removed() -> None:
    hook = {"url": "https://a", "secret": SECRET, "namespaces": ["shop"], "types": ["table.removed"]}
    [webhook] = webhooks_of(load_settings(webhooks={"lake": hook}))
    data = {"previous_name": "shop.t", "format": "iceberg"}
    message = webhook.message(ClientEvent(Event(7, "table.renamed", "hr.secret", 0, data)))
    assert message is not None
    assert (message.type, message.subject) == ("table.removed", "shop.t")
    assert b"secret" not in message.body


def test_a_namespace_that_is_none_stops_the_start() -> None:
    hook = {"url": "https://a", "secret": SECRET, "namespaces": ["a..b"]}
    with pytest.raises(ConfigInvalid, match=r"WEBHOOKS\.lake\.NAMESPACES"):
        webhooks_of(load_settings(webhooks={"lake": hook}))


def test_what_is_lost_is_told_by_places_of_the_log() -> None:
    message = lost(3, 9, 0)
    assert message.message_id == "lost-3-9"
    event = json.loads(message.body)
    assert (event["type"], event["subject"], event["data"]) == (
        "events.lost",
        None,
        {"after": "3", "resumed_after": "9"},
    )
