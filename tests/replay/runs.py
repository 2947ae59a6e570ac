"""Recording responses of the base's code, and replaying the requests against other code."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.replay.added import asked_as_before
from tests.replay.asker import Asker
from tests.replay.comparison import Report
from tests.replay.exchanges import Answer, Connection, Exchange, Request, read, writing
from tests.replay.growing import GROW, grow, locations
from tests.replay.lake import copy_index, make_lake
from tests.replay.learned import Table
from tests.replay.revisions import unpack_wheel
from tests.replay.routes import Routes
from tests.replay.schedule import SESSIONS, Session, ask_all
from tests.replay.server import run as run_command
from tests.replay.server import served

MARKER, EXCHANGES = "complete", "exchanges.jsonl.gz"
_SOURCES = Path(__file__).parent
_OF_INDEX = ("growing", "lake")
_OF_REQUESTS = (
    *_OF_INDEX, "asker", "changing", "exchanges", "filters", "iceberg", "learned", "native", "odd", "paimon",
    "schedule",
)  # fmt: skip
_GIVEN = re.compile(r"next_page_token|nextPageToken|next-page-token|plan-id|plan[_-]tasks|id")
"""JSON members whose values clients send back."""


@dataclass(frozen=True)
class Run:
    """The parameters of a recording, and its folder.

    Attributes:
        folder: contains the base's code, the tables, their index and the recordings.
    """

    commit: str
    seed: int
    requests: int
    folder: Path
    routes: Routes

    @cached_property
    def recording(self) -> Path:
        """The recording's folder, named after the seed, the number of requests, and a digest of the modules."""
        return self.folder / f"recording-{self.seed}-{self.requests}-{_digest(_OF_REQUESTS)}"


def default_folder(commit: str) -> Path:
    """Return the default folder of a base commit."""
    cache = Path(os.environ.get("MUSTER_BUILD_CACHE") or Path.home() / ".cache" / "lakemuster")
    return cache / f"replay-{commit[:12]}"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        yield


def recorded(run: Run) -> bool:
    """Record, unless the recording exists; return whether it existed. Markers are written last."""
    folder, recording = run.folder, run.recording
    made, marker = _digest(_OF_INDEX), folder / MARKER
    if not marker.exists() or marker.read_text() != made:
        _say(f"indexing with {run.commit[:12]} in {folder}")
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        unpack_wheel(run.commit, folder / "code")
        make_lake(folder / "code", folder)
        marker.write_text(made)
    if (recording / MARKER).exists():
        return True
    shutil.rmtree(recording, ignore_errors=True)
    recording.mkdir()
    copy, tables = copy_index(folder), dict[str, Table]()
    with writing(recording / EXCHANGES) as write:
        for session in SESSIONS:
            _say(f"recording {session.name}")
            with served(folder / "code", copy, **session.settings_in(folder)) as port:
                _ask(run, session, port, tables, write)
    (recording / MARKER).touch()
    return False


def replayed(run: Run, code: Path, report: Report) -> None:
    """Send the recorded requests to a server of other code, and compare the responses."""
    copy = copy_index(run.folder)
    run_command(code, copy, "migrate")
    own: dict[str, str] = {}
    for name, exchanges in groupby(read(run.recording / EXCHANGES), key=lambda exchange: exchange.session):
        session = next(session for session in SESSIONS if session.name == name)
        _say(f"replaying {name}")
        with served(code, copy, **session.settings_in(run.folder)) as port, closing(Connection(port)) as connection:
            for exchange in exchanges:
                operation = str(run.routes.operation_of(exchange.request.method, exchange.request.path))
                asked = asked_as_before(_with_own(exchange.request, own), operation)
                answer = _sent(run, connection, asked)
                report.compare(exchange, answer)
                _learn_own(own, exchange.answer, answer)


def _ask(run: Run, session: Session, port: int, tables: dict[str, Table], write: Callable[[Exchange], None]) -> None:
    """Send all requests of a session; ``tables`` is the knowledge of the tables, which is updated."""
    with closing(Connection(port)) as connection:

        def send(request: Request) -> Answer:
            answer = _sent(run, connection, request)
            write(Exchange(session.name, request, answer))
            return answer

        asker = Asker(random.Random(f"{run.seed} {session.name}"), send, round(run.requests * session.part), tables)
        asker.growing = locations(run.folder)
        ask_all(asker, session, run.routes)
        tables.update(asker.tables)


def _sent(run: Run, connection: Connection, request: Request) -> Answer:
    """Return the server's response; a ``GROW`` entry is executed here."""
    if request.method == GROW:
        return Answer(200, (), grow(run.folder, request.target).encode())
    return connection.send(request)


def _with_own(request: Request, own: dict[str, str]) -> Request:
    """Replace tokens and ids of the base in a request with those that this server returned."""
    target, body = request.target, request.body
    for base, given in own.items():
        target, body = target.replace(base, given), body.replace(base.encode(), given.encode())
    return replace(request, target=target, body=body) if own else request


def _learn_own(own: dict[str, str], base: Answer, tree: Answer) -> None:
    if base.body != tree.body and base.status == tree.status:
        pairs = zip(_given(base.document), _given(tree.document), strict=False)
        own.update({one: other for one, other in pairs if one != other})


def _given(document: Any) -> Iterator[str]:
    for key, value in document.items() if isinstance(document, dict) else ():
        if _GIVEN.fullmatch(key):
            yield from (text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))


def _digest(modules: Sequence[str]) -> str:
    """Return a digest of the source of some modules."""
    texts = [(_SOURCES / f"{name}.py").read_bytes() for name in modules]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:8]


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
