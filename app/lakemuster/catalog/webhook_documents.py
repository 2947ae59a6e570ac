"""Documents of webhooks for the native API: their progress, and their dead letters, which can be redelivered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from lakemuster.catalog.services import Services
from lakemuster.catalog.webhooks import Webhook, webhooks_of
from lakemuster.errors import RequestInvalid, WebhookNotFound
from lakemuster.index import webhooks as store
from lakemuster.index.database import Database
from lakemuster.index.webhooks import Cursor, DeadLetter
from lakemuster.wire.instants import format_instant
from lakemuster.wire.native.webhooks import WebhookOut

MAX_PAGE = 1000


def webhooks_out(services: Services) -> list[WebhookOut]:
    """Return all webhooks of the settings, by name.

    Raises:
        IndexUnavailable: the database does not answer.
    """
    database = services.index.database
    webhooks = webhooks_of(services.settings)
    cursors = store.find_cursors(database) if webhooks else {}
    counts = store.dead_letter_counts(database) if webhooks else {}
    return [_webhook(database, one, cursors.get(one.name), counts.get(one.name, 0)) for one in webhooks]


def _webhook(database: Database, webhook: Webhook, cursor: Cursor | None, dead_letters: int) -> WebhookOut:
    settings = webhook.settings
    common = {
        "name": webhook.name,
        "url": settings.origin,
        "types": list(settings.types),
        "namespaces": list(settings.namespaces),
        "dead_letters": dead_letters,
    }
    if cursor is None:
        zeros = ("lag_events", "lag_seconds", "delivered", "tries", "failures_in_a_row")
        unknown = ("last_event_id", "last_status", "last_error", "last_try_at", "last_success_at", "next_try_at")
        new = {**dict.fromkeys(zeros, 0), **dict.fromkeys(unknown)}
        return WebhookOut.model_validate({**common, **new, "state": "new"})
    lag = store.lag_of(database, cursor.position)
    return WebhookOut.model_validate(
        {
            **common,
            "state": "failing" if cursor.failures else "ok",
            "last_event_id": str(cursor.position),
            "lag_events": lag.events,
            "lag_seconds": lag.age_ms / 1000,
            "delivered": cursor.delivered,
            "tries": cursor.tries,
            "failures_in_a_row": cursor.failures,
            "last_status": cursor.status,
            "last_error": cursor.error,
            "last_try_at": _instant(cursor.tried_at_ms),
            "last_success_at": _instant(cursor.succeeded_at_ms),
            "next_try_at": _instant(cursor.next_at_ms),
        }
    )


@dataclass(frozen=True, slots=True)
class LettersPage:
    """A page of dead letters as documents, and where the next page begins; ``wire`` has its model."""

    dead_letters: list[dict[str, object]]
    last_id: str
    more: bool


def dead_letters_page(services: Services, name: str, after: str, limit: int) -> LettersPage:
    """Return the dead letters of a webhook that follow ``after``, at most ``limit``.

    Raises:
        WebhookNotFound: the settings have no webhook of that name.
        RequestInvalid: ``after`` is not an id.
    """
    _require(services, name)
    limit = min(limit, MAX_PAGE)
    found = store.dead_letters(services.index.database, name, _number(after), limit + 1)
    shown = found[:limit]
    last = str(shown[-1].number) if shown else after
    return LettersPage(list(map(_letter, shown)), last, len(found) > limit)


def _letter(letter: DeadLetter) -> dict[str, object]:
    message = letter.message
    return {
        "id": str(letter.number),
        "message_id": message.message_id,
        "event_id": str(message.event_id),
        "type": message.type,
        "subject": message.subject,
        "tries": letter.tries,
        "died_at": format_instant(letter.died_at_ms),
        "last_status": letter.status,
        "last_error": letter.error,
        "state": "requested" if letter.is_requested else "dead",
        "event": orjson.loads(message.body),
    }


def redeliver(services: Services, name: str, ids: Sequence[str] | None) -> int:
    """Request the redelivery of dead letters of a webhook; return their number.

    Args:
        ids: the dead letters; None for all.

    Raises:
        WebhookNotFound: the settings have no webhook of that name.
        RequestInvalid: one of them is not an id.
    """
    _require(services, name)
    numbers = None if ids is None else list(map(_number, ids))
    with services.index.database.session() as session:
        return store.request_redelivery(session, name, numbers)


def _require(services: Services, name: str) -> None:
    if name not in services.settings.webhooks:
        raise WebhookNotFound(f"the settings have no webhook {name[:200]}")


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    raise RequestInvalid("the id of a dead letter is a number that this server assigned")


def _instant(at_ms: int | None) -> str | None:
    return None if at_ms is None else format_instant(at_ms)
