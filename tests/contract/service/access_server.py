"""A server over the lake, callers with random rights and real tokens, and all that a request exposes."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

from fastapi.testclient import TestClient
from starlette.types import Message

from lakemuster.catalog.services import Services
from lakemuster.index.database import Database
from lakemuster.main import GC_THRESHOLDS
from tests.apps import create_app
from tests.comparable_log import Lines
from tests.contract.service.access_lake import CONFINED, AccessLake
from tests.contract.service.backends import catalog, settings
from tests.oidc_provider import AUDIENCE, OidcProvider, oidc_provider
from tests.unit.api.identity.access_model import Model, ModelGrant, random_model

CALLERS = 300
WEBHOOK = "receiver"
WAREHOUSE = "lakemuster"
_DAY = 86_400
_VARYING = frozenset({"x-request-id", "date"})
_HOST = (b"host", b"127.0.0.1")


@dataclass(frozen=True)
class ModelCaller:
    """A caller, and the model of its rights.

    Attributes:
        model: None if the caller has no token or the server does not accept it.
    """

    name: str
    model: Model | None
    token: str | None

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        return [] if self.token is None else [(b"authorization", f"Bearer {self.token}".encode())]


@dataclass(frozen=True)
class Observation:
    """Everything that a request exposes: its response, and its log lines.

    Attributes:
        headers: the headers, without those that differ between equal requests.
        body: the body decoded as Latin-1, which preserves all bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: str
    lines: tuple[str, ...]

    def text(self) -> str:
        headers = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        return "\n".join((str(self.status), headers, self.body, *self.lines)).replace("\\u001f", "\x1f")


@dataclass
class Server:
    """A server in this process.

    Attributes:
        client: runs the application's lifespan and its event loop.
        operator: an admin of all tables.
    """

    lake: AccessLake
    services: Services
    client: TestClient
    callers: Sequence[ModelCaller]
    operator: ModelCaller
    _lines: Lines = field(default_factory=Lines)

    @contextmanager
    def logged(self) -> Iterator[None]:
        """Collect the server's log lines, and keep them from other handlers."""
        logger = logging.getLogger("lakemuster")
        level, propagates = logger.level, logger.propagate
        logger.addHandler(self._lines)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        try:
            yield
        finally:
            logger.removeHandler(self._lines)
            logger.setLevel(level)
            logger.propagate = propagates

    async def send(
        self,
        caller: ModelCaller,
        method: str,
        url: str,
        headers: Sequence[tuple[str, str]] = (),
        body: str | None = None,
    ) -> Observation:
        """Send a request to the ASGI application directly, since an HTTP client would take longer than the server."""
        path, _, query = url.partition("?")
        sent = [_HOST, *caller.headers, *((name.lower().encode(), value.encode()) for name, value in headers)]
        if body is not None:
            sent += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body.encode()))]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": sent,
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 80),
        }
        messages: list[Message] = []
        unread: list[Message] = [{"type": "http.request", "body": (body or "").encode(), "more_body": False}]

        async def receive() -> Message:
            if not unread:
                await asyncio.get_running_loop().create_future()  # the client stays connected
            return unread.pop()

        async def collect(message: Message) -> None:
            messages.append(message)

        self._lines.lines.clear()
        await self.client.app(scope, receive, collect)
        received = ((name.decode().lower(), value.decode("latin-1")) for name, value in messages[0]["headers"])
        shown = dict(sorted((name, value) for name, value in received if name not in _VARYING))
        content = b"".join(message.get("body", b"") for message in messages[1:])
        return Observation(messages[0]["status"], shown, content.decode("latin-1"), tuple(self._lines.lines))


@contextmanager
def access_server(folder: Path) -> Iterator[Server]:
    """Serve the lake, with its catalogs attached, to many callers."""
    with ExitStack() as stack:
        provider = stack.enter_context(oidc_provider())
        lake = AccessLake(folder)
        operator, callers, tokens = _callers(provider)
        for namespace in CONFINED:
            tokens += f"[[namespace]]\nname = '{namespace}'\nlocations = ['{lake.root}/{namespace}']\n"
        file = folder / "tokens.toml"
        file.write_text(tokens)
        # The server parses a file that was modified recently again each second.
        os.utime(file, (time.time() - 60,) * 2)
        database = f"sqlite:///{folder}/index.db"
        Database(database).migrate()
        of = settings(
            folder,
            database_url=database,
            max_staleness=float(_DAY),
            role="api",
            roots=(lake.root,),
            tokens=str(file),
            oidc_issuer=(provider.issuer,),
            oidc_audience=(AUDIENCE,),
            catalogs=lake.catalogs,
            warehouse=WAREHOUSE,
            webhooks={WEBHOOK: {"url": "http://127.0.0.1:9/", "secret": "whsec_" + "A" * 32}},
        )
        services = stack.enter_context(catalog(of))
        lake.register(services)
        lake.leave_events(services)
        stack.enter_context(_collecting_rarely())
        # The event loop that a server uses.
        client = TestClient(create_app(services), base_url="http://127.0.0.1", backend_options={"use_uvloop": True})
        stack.enter_context(client)
        yield Server(lake, services, client, callers, operator)


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Set Python's garbage collector as a server does: 8 % less CPU time."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def _callers(provider: OidcProvider) -> tuple[ModelCaller, list[ModelCaller], str]:
    """Return an operator, callers with random rights and without valid tokens, and the content of the tokens file.

    A caller with one grant has a token in the file. The others, with no grant or several, have access tokens of an
    OpenID provider, whose claims are their grants, or name roles of the file.
    """
    chance = random.Random(7)
    everything = ModelGrant("admin", None)
    operator = ModelCaller("operator", Model([everything]), "lm_operator")
    file = _entry("token", operator.name, everything, operator.token)
    callers = [ModelCaller("without-token", None, None), ModelCaller("wrong-token", None, "lm_stranger")]
    for number in range(CALLERS):
        model, name = random_model(chance), f"caller-{number}"
        if len(model.grants) == 1:
            token = f"lm_{name}"
            file += _entry("token", name, model.grants[0], token)
        else:
            claims = []
            for at, grant in enumerate(model.grants):
                texts = grant.texts()
                if texts is None:
                    claims.append(f"lakemuster:{grant.role}")
                elif texts and chance.random() < 0.5:
                    claims += [f"lakemuster:{grant.role}:{namespace}" for namespace in texts]
                else:
                    claims.append(f"{name}-{at}")
                    file += _entry("role", claims[-1], grant)
            token = provider.token(name, *claims, exp=int(time.time()) + _DAY)
        callers.append(ModelCaller(name, model, token))
    return operator, callers, file


def _entry(kind: str, name: str, grant: ModelGrant, token: str | None = None) -> str:
    """Return an entry of the tokens file."""
    lines = [f"[[{kind}]]", f"name = {json.dumps(name)}", f"scope = {json.dumps(grant.role)}"]
    if token is not None:
        lines.append(f"sha256 = {json.dumps(sha256(token.encode()).hexdigest())}")
    if grant.namespaces is not None:
        lines.append(f"namespaces = {json.dumps(grant.texts())}")
    return "\n".join(lines) + "\n"
