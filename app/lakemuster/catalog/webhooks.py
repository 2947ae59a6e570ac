"""Webhooks: which events each receives, in which messages, and how these are signed.

Messages are CloudEvents in structured mode, signed as Standard Webhooks 1.0.0 specifies, in the headers
``webhook-id``, ``webhook-timestamp`` and ``webhook-signature``. A message has the same id at every try.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakemuster.catalog.events import ClientEvent, lost_document
from lakemuster.config import Settings
from lakemuster.errors import ConfigInvalid, RequestInvalid
from lakemuster.event_types import LOST
from lakemuster.index.webhooks import Message
from lakemuster.metadata.name_patterns import is_within
from lakemuster.metadata.names import Levels, parse_name
from lakemuster.webhook_settings import WebhookSettings
from lakemuster.wire.documents import dumps

MEDIA_TYPE = "application/cloudevents+json"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver of events.

    Attributes:
        namespaces: patterns of the tables' namespaces; empty for all tables.
    """

    name: str
    settings: WebhookSettings
    namespaces: tuple[Levels, ...]

    def sees(self, table: Levels) -> bool:
        """Tell whether the webhook receives events of a table."""
        return not self.namespaces or any(is_within(table, namespace) for namespace in self.namespaces)

    def message(self, told: ClientEvent) -> Message | None:
        """Return the message for an event; None if the webhook does not receive it."""
        shown = told.seen_by(self.sees)
        if shown is None or (self.settings.types and shown.event.type not in self.settings.types):
            return None
        event = shown.event
        # The time is part of the id, because a restored database assigns ids of events again.
        return Message(f"{event.id}-{event.at_ms}", event.id, event.type, event.table, dumps(shown.document))


def webhooks_of(settings: Settings) -> list[Webhook]:
    """Return the webhooks of the settings, by name.

    Raises:
        ConfigInvalid: a namespace is invalid.
    """
    return [Webhook(name, one, _namespaces(name, one.namespaces)) for name, one in sorted(settings.webhooks.items())]


def require_keys(settings: Settings) -> None:
    """Check that the secret files of webhooks hold keys. Raises: ConfigInvalid."""
    for webhook in webhooks_of(settings):
        try:
            webhook.settings.keys()
        except ConfigInvalid as cause:
            raise ConfigInvalid(f"WEBHOOKS.{webhook.name}.secret_file: {cause.message}") from None


def _namespaces(name: str, patterns: Iterable[str]) -> tuple[Levels, ...]:
    try:
        return tuple(map(parse_name, patterns))
    except RequestInvalid as cause:
        raise ConfigInvalid(f"invalid setting: WEBHOOKS.{name}.NAMESPACES: {cause.message}") from cause


def lost(position: int, restart: int, now_ms: int) -> Message:
    """Return the message that reports that events between two positions of the log are gone."""
    body = dumps(lost_document(restart, position, now_ms))
    return Message(f"lost-{position}-{restart}", restart, LOST, None, body)


def signed_headers(message: Message, keys: Sequence[bytes], timestamp: int) -> dict[str, str]:
    """Return the headers of one try of a message.

    Args:
        keys: each adds a signature; the receiver needs one of the keys.
        timestamp: the time of this try, in seconds since 1970.
    """
    content = f"{message.message_id}.{timestamp}.".encode() + message.body
    signatures = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys]
    return {
        "Content-Type": f"{MEDIA_TYPE}; charset=utf-8",
        "webhook-id": message.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }
