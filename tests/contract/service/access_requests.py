"""Compare the responses to random requests of random callers with those that a simple model of their rights expects.

The response to a request about a hidden name must equal that to the same request about a missing one, and so must its
log lines. An allowed request must get the operator's response. A list must contain exactly the rows that its caller may
see. Neither a response nor a log line may contain a word, an ETag or an id of a table that is hidden from the caller,
unless the request contains it.
"""

from __future__ import annotations

import base64
import binascii
import random
import re
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from lakemuster.index.events import bounds
from lakemuster.metadata.names import format_name
from tests.contract.service.access_generator import Generator, Request, Stolen, about_missing, steal
from tests.contract.service.access_lake import WORD, delete_events, is_registered
from tests.contract.service.access_lists import ListCheck, without_own
from tests.contract.service.access_rules import Outcome, Rules
from tests.contract.service.access_server import ModelCaller, Observation, Server

WITHOUT_TOKEN = 0.06
"""Share of requests without a valid token."""
REPEATED, RECENT = 0.4, 30
"""Share of requests that repeat one of the last ones, mostly of other callers: caches may contain the response."""
MOST_KNOWN = 10_000
"""Maximum number of the operator's responses in memory."""
_TOKENS = re.compile(r'"(?:next[-_]?page[-_]?token|plan-id)":"([^"]*)"', re.IGNORECASE)
_MARKS = re.compile(r"\b(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]{10,19})\b")
_EXPECTED: dict[Outcome, int] = {"unauthenticated": 401, "denied": 403, "hidden": 404}
_OWN_HEADERS = {"set-cookie": "the secret of a new session"}
"""Headers that are not compared with those of the operator's response, and why."""
ALWAYS_FORBIDDEN = {"paimon_mark_partitions": "status 403 means unsupported: Java's client takes 501 for success"}
"""Operations that respond with 403 to every caller, and why."""
MAY_BE_INVALID = {
    "add_table": "400 for a location outside of the caller's, which names no table",
    "list_references": "400 for a location outside of the server's roots",
}
"""Operations that may refuse a caller with 400 although the operator's request succeeds, and why."""


@dataclass
class Report:
    """The result of a search.

    Attributes:
        pairs: number of compared pairs of a caller and a request.
        outcomes: number of pairs by the expected outcome.
        operations: number of pairs by operation.
    """

    differences: list[str] = field(default_factory=list)
    pairs: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    operations: Counter[str] = field(default_factory=Counter)


class Search:
    """Searches for requests whose responses differ from those that the model expects."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._rules = Rules(server.lake)
        self._lists = ListCheck(server, self._rules, self._of_operator)
        self._paths: dict[str, Any] = server.client.app.openapi()["paths"]  # type: ignore[attr-defined]
        self.operations = [found["operationId"] for of in self._paths.values() for found in of.values()]
        self._stolen: Stolen | None = None
        self._marks: dict[str, str] = {}
        self._known: dict[Request, Observation] = {}

    def run(self, pairs: int, seed: int, most: int = 5, *, each_first: bool = False) -> Report:
        """Compare ``pairs`` pairs; stop after ``most`` differences.

        Args:
            each_first: whether the first requests are of each operation once.
        """
        assert self._server.client.portal is not None
        with self._server.logged():
            found: Report = self._server.client.portal.call(self._run, pairs, seed, most, each_first)
        self._server.lake.register(self._server.services)
        return found

    async def _run(self, pairs: int, seed: int, most: int, each_first: bool) -> Report:
        if self._stolen is None:
            self._stolen = await steal(self._server)
            self._marks = self._stolen.marks()
        self._known.clear()
        chance, report = random.Random(seed), Report()
        generator = Generator(self._server.lake, self._paths, self._stolen, chance, each_first=each_first)
        strangers = [caller for caller in self._server.callers if caller.model is None]
        callers = [*(caller for caller in self._server.callers if caller.model is not None), self._server.operator]
        recent: deque[Request] = deque(maxlen=RECENT)
        while report.pairs < pairs and len(report.differences) < most:
            caller = chance.choice(strangers if chance.random() < WITHOUT_TOKEN else callers)
            is_repeated = bool(recent) and chance.random() < REPEATED
            request = chance.choice(recent) if is_repeated else generator.request(caller.model)
            recent.append(request)
            outcome = self._rules.outcome(request, caller.model)
            report.pairs += 1
            report.outcomes[outcome] += 1
            report.operations[request.operation] += 1
            async for difference in self._differences(caller, request, outcome, chance):
                report.differences.append(f"{outcome}: {caller.name} {caller.model} {request}: {difference}")
        return report

    async def _differences(
        self, caller: ModelCaller, request: Request, outcome: Outcome, chance: random.Random
    ) -> AsyncIterator[str]:
        """Yield the differences between the response to a request and the expected one."""
        response = await self._send(caller, request)
        for difference in self._revealed(caller, request, response):
            yield difference
        model, is_operator = caller.model, caller is self._server.operator
        if outcome in _EXPECTED:
            async for difference in self._refused(caller, request, response, outcome, chance):
                yield difference
        elif request.stolen and not is_operator and outcome != "open":
            # The token of another caller must have the effect of a meaningless one.
            meaningless = replace(request, stolen="A" * len(request.stolen))
            expected = await self._send(caller, meaningless)
            for difference in _unlike(response, request, expected, meaningless):
                yield f"a token of another caller: {difference}"
        elif outcome == "listed" and not request.stolen:
            assert model is not None
            async for difference in self._lists.differences(caller, model, request, response):
                yield difference
        else:
            for difference in _unlike_operator(response, await self._of_operator(request)):
                yield difference
            if response.status == 403 and request.operation not in ALWAYS_FORBIDDEN:
                yield "403"

    async def _refused(
        self, caller: ModelCaller, request: Request, response: Observation, outcome: Outcome, chance: random.Random
    ) -> AsyncIterator[str]:
        """Yield the differences between a refusal and the response to the same request about a missing name."""
        sees_catalog = caller.model is not None and self._rules.sees_catalog(caller.model, request.levels[0])
        # A sync without the role is 403 for a catalog that the caller sees, and 404 for a missing one.
        if not (request.operation == "sync_catalog" and outcome == "denied" and sees_catalog):
            other_catalog = "{catalog}" in request.path and not sees_catalog and chance.random() < 0.5
            missing = about_missing(request, other_catalog=other_catalog)
            for difference in _unlike(response, request, await self._send(caller, missing), missing):
                yield difference
        if response.status != _EXPECTED[outcome] and not await self._is_invalid(request, response, outcome):
            yield f"{response.status}, not {_EXPECTED[outcome]}"

    async def _is_invalid(self, request: Request, response: Observation, outcome: Outcome) -> bool:
        """Return whether a response may reject the request as invalid.

        It may if the operator's response does, or if the operation is in :data:`MAY_BE_INVALID`.
        """
        if response.status != 400 or outcome == "unauthenticated":
            return False
        return request.operation in MAY_BE_INVALID or (await self._of_operator(request)).status == 400

    def _revealed(self, caller: ModelCaller, request: Request, response: Observation) -> Iterator[str]:
        """Yield the hidden tables that a response or a log line reveals."""
        text, sent = response.text(), request.text
        with suppress(binascii.Error):
            for token in _TOKENS.findall(response.body):
                text += base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("latin-1")
        found = {word: word for word in WORD.findall(text)}
        found |= {mark: self._marks[mark] for mark in _MARKS.findall(text) if mark in self._marks}
        for mark, word in found.items():
            levels = self._server.lake.of_word[word].levels
            if mark not in sent and not (caller.model is not None and caller.model.sees(levels)):
                yield f"reveals {mark} of {levels}: {response}"

    async def _of_operator(self, request: Request) -> Observation:
        """Return the response to the operator, which does not change, since the lake does not."""
        known = self._known.get(request)
        if known is None:
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            known = self._known[request] = await self._send(self._server.operator, request)
        return known

    async def _send(self, caller: ModelCaller, request: Request) -> Observation:
        """Send a request and undo its effect. Register a table that is to be removed first."""
        if request.operation in {"remove_table", "add_table"}:
            return await self._send_change(caller, request)
        return await self._server.send(caller, request.method, request.url, request.headers, request.filled_body)

    async def _send_change(self, caller: ModelCaller, request: Request) -> Observation:
        server, services, name = self._server, self._server.services, format_name(request.levels)
        newest_event, is_removal = bounds(services.index.database).last, request.operation == "remove_table"
        if is_removal and "w" in request.levels[-1]:
            services.add(name, server.lake.spare["shop"], None, (), operator=True)
        existed = is_registered(services, request.levels)
        response = await server.send(caller, request.method, request.url, request.headers, request.filled_body)
        remains = is_registered(services, request.levels)
        changes = {204} if is_removal else {201}
        assert (remains is not existed) is (response.status in changes), (request, response)
        if remains and all(table.levels != request.levels for table in server.lake.tables):
            services.remove(name)
        delete_events(services, newest_event)
        return response


def _unlike_operator(response: Observation, expected: Observation) -> Iterator[str]:
    """Yield the differences between a response and the operator's, except in parts that differ for each caller."""
    parts = [(one.status, dict(one.headers), without_own(one.body)) for one in (response, expected)]
    for (_, headers, body), one in zip(parts, (response, expected), strict=True):
        for name in (*_OWN_HEADERS, *(["content-length"] if body != one.body else [])):
            headers.pop(name, None)
    if parts[0] != parts[1]:
        yield f"unlike the operator's: {_first_difference(*parts)}"


def _unlike(one: Observation, of: Request, other: Observation, of_other: Request) -> Iterator[str]:
    """Yield the differences between two responses and their log lines, except the names that the requests contain."""
    texts = (_masked(one.text(), of, of_other), _masked(other.text(), of_other, of))
    if texts[0] != texts[1]:
        yield _first_difference(*(text.splitlines() for text in texts))


def _masked(text: str, request: Request, other: Request) -> str:
    """Replace the names in a text that the other request does not contain with numbers."""
    pairs = [(request.stolen, other.stolen), *zip(request.levels, other.levels, strict=True)]
    pairs += [(mine, theirs) for (_, mine), (_, theirs) in zip(request.values, other.values, strict=True)]
    for number, (mine, theirs) in enumerate(pairs):
        if mine != theirs:
            # The name of a Paimon table may be followed by a branch, which some messages leave out.
            name = re.escape(mine.partition("$")[0])
            text = re.sub(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])", f"#{number}#", text)
    return text


def _first_difference(ones: Any, others: Any) -> str:
    different = next((pair for pair in zip_longest(ones, others) if pair[0] != pair[1]), None)
    return f"{different and different[0]!r} is not {different and different[1]!r}"
