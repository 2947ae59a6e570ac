"""Whoever asks: sends requests until there were enough, and remembers what the answers told."""

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
"""Callers: their token, scope and namespaces."""


class Enough(Exception):
    """All requests were sent."""


@dataclass
class Asker:
    """Sends requests as one caller or another.

    Attributes:
        left: requests that are still to be sent.
        caller: whose token goes with requests; None for none.
        etags: of answers that may be asked for again, by target.
        growing: tables that grow while they are asked about, registered or not.
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
        """The answer to a request.

        Raises:
            Enough: no more are wanted.
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
        """Ask as someone, where callers are told apart."""
        self.caller = caller if self.has_callers else None

    def of_format(self, name: str | None = None) -> Table:
        """Some table; of one format if it is named."""
        return self.rng.choice([table for table in self.tables.values() if name in (None, table.format)])

    def pages(self, path: str, parameters: Mapping[str, object], names: tuple[str, str], most: int) -> list[Answer]:
        """A list's first pages, each asked for with the token of the one before.

        Args:
            names: of the parameters of size and token.
        """
        _, token_name = names
        answers = [self.ask(Request.get(path, parameters))]
        while len(answers) < most and (token := token_of(answers[-1])) is not None:
            answers.append(self.ask(Request.get(path, {**parameters, token_name: token})))
        return answers


def tokens_file(path: Path, locations: Iterable[tuple[str, str]]) -> None:
    """Write the tokens file that knows all callers, and where the tables of some namespaces may live."""
    lines = []
    for name, (token, scope, namespaces) in TOKENS.items():
        digest = hashlib.sha256(token.encode()).hexdigest()
        lines += ["[[token]]", f'name = "{name}"', f'sha256 = "{digest}"', f'scope = "{scope}"']
        if namespaces is not None:
            lines.append(f"namespaces = [{', '.join(map(repr, namespaces))}]")
    for namespace, location in locations:
        lines += ["[[namespace]]", f'name = "{namespace}"', f'locations = ["{location}"]']
    path.write_text("\n".join(lines) + "\n", "utf-8")
