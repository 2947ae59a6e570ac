"""Clients that send requests continuously, and the laws that every response is checked against.

The laws: a response has exactly the files of its snapshot; it shows the newest state committed before the last look
that ``MAX_STALENESS`` allows, or is marked stale; a streamed list ends with its count; 404 means that the resource does
not exist; a known response arrives within its time limit.
"""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.journey.faults.growing import Commit
from tests.journey.faults.growing_iceberg import IcebergTable
from tests.journey.faults.growing_paimon import PaimonTable

Table = IcebergTable | PaimonTable

CLIENT_SECONDS = 60.0
"""Timeout of a client's request."""
IDLE_SECONDS = 4.0
"""Longest idle time of a reused connection: the server closes it after 5 s, and the machine may pause."""
CLOCK_SECONDS = 0.05
"""Largest accepted difference between the clocks of two processes or threads."""
PAGE = 10_000

_UNREADABLE = {409, 502, 503}


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that broke no law.

    Attributes:
        table: the requested table; None for the list of tables and for ``/healthz``.
        status: the HTTP status; 0 if the connection failed.
        seconds: the time from the start of the request to the last byte of the response.
        known: whether the request named no snapshot, so that the server can reply from what it already has.
        reason: why the response is stale, the body of an error, or how the connection failed.
    """

    kind: str
    table: str | None
    status: int
    asked_at: float
    seconds: float
    stale: bool
    known: bool
    reason: str = ""


@dataclass(slots=True)
class Findings:
    """The results of all clients."""

    answers: list[Answer] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, answer: Answer) -> None:
        """Record a response that broke no law."""
        with self._lock:
            self.answers.append(answer)

    def violation(self, text: str) -> None:
        """Record a broken law."""
        with self._lock:
            self.violations.append(text)


class WrongAnswer(Exception):
    """A response that breaks a law."""


class Asker:
    """A client with at most one open connection, to one of the servers."""

    def __init__(
        self, ports: Callable[[], Sequence[int]], tables: Sequence[Table], staleness: float, seed: int
    ) -> None:
        self._ports, self._tables, self._staleness = ports, tables, staleness
        self._random = random.Random(seed)
        self._connection: http.client.HTTPConnection | None = None
        self._port = 0
        self._used_at = 0.0
        self.asked = 0

    @property
    def port(self) -> int | None:
        """The port of the connected server; None without a connection."""
        return None if self._connection is None else self._port

    def ask(self) -> Answer:
        """Send one random request.

        Raises:
            WrongAnswer: the response breaks a law.
        """
        if self._random.random() < 0.1:
            return self._about(None, "tables", "GET", "/api/v1/tables", None, None)
        if self._random.random() < 0.1:
            return self._about(None, "healthz", "GET", "/healthz", None, None)
        table = self._random.choice(self._tables)
        kind = self._random.choice(("plan", "plan", "filtered", "filtered", "lines", "pinned", "fresh", "entries"))
        path = f"/api/v1/tables/{table.name}"
        if kind == "plan":
            return self._about(table, kind, "POST", f"{path}/plan", {"page_size": PAGE}, None)
        if kind == "filtered":
            low = self._random.randrange(900_000)
            question = {"filter": f"id >= {low} AND id <= {low + 200_000}", "page_size": PAGE}
            return self._about(table, kind, "POST", f"{path}/plan", question, None, (low, low + 200_000))
        if kind == "lines":
            return self._about(table, kind, "GET", f"{path}/files", None, None)
        # Expiry removes the oldest commits at the same time, so the first half is excluded.
        commits = table.history.retained()
        if isinstance(table, PaimonTable):
            # A request for an unknown id triggers a look; only age may trigger the looks at this table.
            commits = commits[: max(1, len(commits) - 3)]
        commit = commits[-1] if kind == "fresh" else self._random.choice(commits[len(commits) // 2 :])
        if kind == "entries":
            return self._about(table, kind, "GET", f"{path}/files?snapshot={commit.snapshot_id}", None, commit)
        question = {"snapshot_id": str(commit.snapshot_id), "page_size": PAGE}
        return self._about(table, kind, "POST", f"{path}/plan", question, commit)

    def plan(self, table: Table, commit: Commit | None = None) -> Answer:
        """Request all files of a table, at its current snapshot or at a commit.

        Raises:
            WrongAnswer: the response breaks a law.
        """
        question = {"page_size": PAGE} | ({} if commit is None else {"snapshot_id": str(commit.snapshot_id)})
        return self._about(table, "plan", "POST", f"/api/v1/tables/{table.name}/plan", question, commit)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _about(
        self,
        table: Table | None,
        kind: str,
        method: str,
        path: str,
        question: dict[str, Any] | None,
        pinned: Commit | None,
        between: tuple[int, int] | None = None,
    ) -> Answer:
        asked_at = time.monotonic()
        status, headers, body = self._exchange(method, path, question)
        self.asked += 1
        seconds = time.monotonic() - asked_at
        name = None if table is None else table.name
        reason = None if status == 200 else body[:1000].decode(errors="replace")
        if status == 200 and table is not None:
            snapshot_id, files, reason = _files(headers, body)
            self._judge(table, asked_at, snapshot_id, files, reason is not None, pinned, between)
        elif status not in _UNREADABLE | {0, 200} and not (status == 404 and _has_expired(table, pinned)):
            raise WrongAnswer(f"{kind} of {name}: status {status}: {body[:300]!r} (port {self._port})")
        elif status == 503 and "Retry-After" not in headers:
            raise WrongAnswer(f"{kind} of {name}: 503 without Retry-After")
        is_stale = status == 200 and reason is not None
        return Answer(kind, name, status, asked_at, seconds, is_stale, pinned is None, reason or "")

    def _judge(
        self,
        table: Table,
        asked_at: float,
        snapshot_id: int,
        files: list[str],
        stale: bool,
        pinned: Commit | None,
        between: tuple[int, int] | None,
    ) -> None:
        commit = table.history.of(snapshot_id)
        if commit is None:
            raise WrongAnswer(f"{table.name}: snapshot {snapshot_id} was never committed")
        if pinned is not None and commit.snapshot_id != pinned.snapshot_id:
            raise WrongAnswer(f"{table.name}: asked for {pinned.snapshot_id}, answered {snapshot_id}")
        expected = set(commit.files) if between is None else commit.matching(*between)
        if set(files) != expected or len(files) != len(expected):
            missing, more = len(expected - set(files)), len(set(files) - expected)
            raise WrongAnswer(f"{table.name}@{commit.number}: {missing} of {len(expected)} files missing, {more} more")
        due = table.history.as_of(asked_at - self._staleness - CLOCK_SECONDS)
        if pinned is None and not stale and due is not None and commit.number < due.number:
            raise WrongAnswer(f"{table.name}: commit {commit.number} instead of {due.number}, and not marked stale")

    def _exchange(
        self, method: str, path: str, question: dict[str, Any] | None
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Return status, headers and body; status 0 and the cause if there was no complete response."""
        idle = time.monotonic() - self._used_at
        if idle > IDLE_SECONDS:
            self.close()
        is_new = self._connection is None
        try:
            if self._connection is None:
                self._port = self._random.choice(list(self._ports()))
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=CLIENT_SECONDS)
            headers = {"Content-Type": "application/json"} if question is not None else {}
            if path.partition("?")[0].endswith("/files"):
                headers["Accept"] = "application/x-ndjson"
            body = None if question is None else json.dumps(question)
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            status, told, answer = response.status, response.headers, response.read()
        except TimeoutError:
            self.close()
            raise WrongAnswer(f"{method} {path}: no answer within {CLIENT_SECONDS:g} s") from None
        except (OSError, http.client.HTTPException, IndexError) as error:
            self.close()
            where = f"port {self._port}, {'a new connection' if is_new else f'idle for {idle:.3f} s'}"
            return 0, http.client.HTTPMessage(), f"{type(error).__name__}: {error} ({where})".encode()
        self._used_at = time.monotonic()
        if told.get("Connection") == "close":
            self.close()  # the next connection may reach another server
        return status, told, answer


def _has_expired(table: Table | None, pinned: Commit | None) -> bool:
    """Return whether a commit expired during the request, so that 404 is correct."""
    return table is not None and pinned is not None and pinned not in table.history.retained()


def _files(headers: http.client.HTTPMessage, body: bytes) -> tuple[int, list[str], str | None]:
    """Return snapshot, paths and staleness reason (None if not stale) of a plan or of an NDJSON list."""
    if headers.get_content_type() == "application/x-ndjson":
        *lines, last = body.splitlines()
        end = json.loads(last)["end"]
        files = [json.loads(line)["file_path"] for line in lines]
        if end["count"] != len(files):
            raise WrongAnswer(f"a list of {len(files)} lines says that it has {end['count']}")
        return int(end["snapshot_id"]), files, headers.get("Lakemuster-Stale")
    answer = json.loads(body)
    if answer["next_page_token"] is not None:
        raise WrongAnswer("a page of a small plan has another page")
    return int(answer["snapshot_id"]), [one["file_path"] for one in answer["files"]], answer["stale"]


class Clients:
    """Concurrent clients that run until :meth:`stop`."""

    def __init__(
        self,
        count: int,
        ports: Callable[[], Sequence[int]],
        tables: Sequence[Table],
        staleness: float,
        seed: int,
        *,
        pause_seconds: float = 0.02,
    ) -> None:
        self.findings = Findings()
        self._pause = pause_seconds
        self._stop = threading.Event()
        self.askers = [Asker(ports, tables, staleness, seed * 1000 + number) for number in range(count)]
        self._threads = [threading.Thread(target=self._work, args=(one,), daemon=True) for one in self.askers]
        for thread in self._threads:
            thread.start()

    def stop(self) -> Findings:
        """Wait for the last responses and return the findings."""
        self._stop.set()
        for thread in self._threads:
            thread.join(2 * CLIENT_SECONDS)
            if thread.is_alive():
                self.findings.violation("a client never came back")
        return self.findings

    def _work(self, asker: Asker) -> None:
        while not self._stop.is_set():
            try:
                answer = asker.ask()
            except WrongAnswer as wrong:
                self.findings.violation(str(wrong))
                asker.close()
            except Exception as error:  # noqa: BLE001 - a malformed response breaks a law
                self.findings.violation(f"{type(error).__name__}: {error}")
                asker.close()
            else:
                self.findings.add(answer)
                if answer.status == 0:
                    self._stop.wait(0.1)
            self._stop.wait(self._pause)
        asker.close()
