"""Sends requests up to a limit, as one of several callers, and records ETags of the responses."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.replay.exchanges import Answer, Request
from tests.replay.growing import Growing
from tests.replay.learned import Table, token_of

ARROW = "application/vnd.apache.arrow.stream"
NDJSON = "application/x-ndjson"
MOST_ETAGS = 400

TOKENS = {
    "everything": ("lm_replay_everything", "read", None),
    "indexer": ("lm_replay_indexer", "index", None),
    "keeper": ("lm_replay_keeper", "admin", None),
    "shop": ("lm_replay_shop", "read", ("shop",)),
    "tenant": ("lm_replay_tenant", "admin", ("tenant",)),
}
"""The callers: their token, scope and namespaces."""


class Enough(Exception):
    """Raised when all requests are sent."""


@dataclass
class Asker:
    """Sends requests as a caller that can be changed.

    Attributes:
        left: the number of requests still to send.
        caller: the caller whose token requests carry; None for no token.
        etags: ETags of responses that may be requested again, by target.
        growing: tables that grow during the requests, registered or not.
    """

    rng: random.Random
    send: Callable[[Request], Answer]
    left: int
    tables: dict[str, Table] = field(default_factory=dict)
    caller: str | None = None
    has_callers: bool = False
    etags: dict[str, str] = field(default_factory=dict)
    growing: list[Growing] = field(default_factory=list)

    def ask(self, request: Request) -> Answer:
        """Send a request, and return its response.

        Raises:
            Enough: all requests are sent.
        """
        if self.left <= 0:
            raise Enough
        self.left -= 1
        if self.caller is not None and not any(name == "Authorization" for name, _ in request.headers):
            bearer = ("Authorization", f"Bearer {TOKENS[self.caller][0]}")
            request = replace(request, headers=(*request.headers, bearer))
        answer = self.send(request)
        etag = answer.header("etag")
        if etag is not None and request.method == "GET" and len(self.etags) < MOST_ETAGS:
            self.etags[request.target] = etag
        return answer

    def become(self, caller: str) -> None:
        """Send further requests as ``caller``, if the server distinguishes callers."""
        self.caller = caller if self.has_callers else None

    def of_format(self, name: str | None = None) -> Table:
        """Return a random table, of one format if it is given."""
        return self.rng.choice([table for table in self.tables.values() if name in (None, table.format)])

    def pages(self, path: str, parameters: Mapping[str, object], names: tuple[str, str], most: int) -> list[Answer]:
        """Request the first pages of a list, each with the token of the previous page.

        Args:
            names: the names of the parameters for page size and token.
        """
        _, token_name = names
        answers = [self.ask(Request.get(path, parameters))]
        while len(answers) < most and (token := token_of(answers[-1])) is not None:
            answers.append(self.ask(Request.get(path, {**parameters, token_name: token})))
        return answers


def tokens_file(path: Path, locations: Iterable[tuple[str, str]]) -> None:
    """Write a tokens file with all callers, and the allowed locations of tables in some namespaces."""
    lines = []
    for name, (token, scope, namespaces) in TOKENS.items():
        digest = hashlib.sha256(token.encode()).hexdigest()
        lines += ["[[token]]", f'name = "{name}"', f'sha256 = "{digest}"', f'scope = "{scope}"']
        if namespaces is not None:
            lines.append(f"namespaces = [{', '.join(map(repr, namespaces))}]")
    for namespace, location in locations:
        lines += ["[[namespace]]", f'name = "{namespace}"', f'locations = ["{location}"]']
    path.write_text("\n".join(lines) + "\n", "utf-8")
