"""Webhooks of a server: the progress of each, and its dead letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from lakemuster.client.model import Row

if TYPE_CHECKING:
    from lakemuster.client.transport import Transport


class Webhooks:
    """The part of ``Client`` about webhooks; it needs the role ``admin`` for all tables."""

    _transport: Transport

    def webhooks(self) -> list[Row]:
        """Return the webhooks of the server's settings: state, lag, last try, number of dead letters.

        Raises:
            ClientError: see ``client.errors``.
        """
        found: list[Row] = self._transport.get("/webhooks")["webhooks"]
        return found

    def dead_letters(self, webhook: str) -> Iterator[Row]:
        """Yield the messages that a webhook's receiver has not accepted, oldest first.

        Raises:
            NotFoundError: no such webhook.
        """
        after, more = "0", True
        while more:
            page = self._transport.get(f"/webhooks/{quote(webhook, safe='')}/dead_letters", {"after": after})
            yield from page["dead_letters"]
            after, more = page["last_id"], page["more"]

    def redeliver(self, webhook: str, dead_letters: Iterable[str] | None = None) -> int:
        """Have dead letters sent again, in the background; return their number.

        Args:
            dead_letters: their ids; None: all.

        Raises:
            NotFoundError: no such webhook.
        """
        body = {} if dead_letters is None else {"dead_letters": list(dead_letters)}
        requested: int = self._transport.send("POST", f"/webhooks/{quote(webhook, safe='')}/redeliver", body)[
            "requested"
        ]
        return requested
