"""Run commands in this process, on fake sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from typer.testing import CliRunner

from lakemuster.cli import app
from lakemuster.cli.sources import Advance, Notice, Query, Refreshed, not_newest
from lakemuster.errors import CatalogError, TableNotFound

Row = Mapping[str, Any]


class Shelf:
    """A fake local index with prepared lists; an exception in a list is raised at its position."""

    def __init__(self, **lists: Sequence[Row | Exception]) -> None:
        self.lists = lists
        self.queries: list[Query] = []
        self.calls: list[tuple[object, ...]] = []
        self.notice: str | None = None
        self.stale_reasons: dict[str, str] = {}
        self.closed = False
        self.choices: list[dict[str, Any]] = []

    def tables(self, choice: Mapping[str, Any] | None = None) -> Iterator[Row]:
        self.choices.append(dict(choice or {}))
        return _given(self.lists["tables"])

    def namespaces(self, choice: Mapping[str, str | None]) -> Iterator[Row]:
        self.choices.append(dict(choice))
        return _given(self.lists["namespaces"])

    def rows(self, query: Query, notice: Notice) -> Iterator[Row]:
        self.queries.append(query)
        if self.notice is not None:
            notice(not_newest(self.notice))
        return _given(self.lists[query.kind])

    def plan(self, query: Query) -> Iterator[Row]:
        self.queries.append(query)
        return _given(self.lists["plan"])

    def explain(self, query: Query, files: Sequence[str]) -> Row:
        self.queries.append(query)
        self.calls.append(("explain", *files))
        (explanation,) = _given(self.lists["explain"])
        return explanation

    def statistics(self, query: Query, aggregates: Sequence[str]) -> Row:
        self.queries.append(query)
        self.calls.append(("statistics", *aggregates))
        (answer,) = _given(self.lists["statistics"])
        return answer

    def add(self, *words: object) -> Row:
        self.calls.append(("add", *words))
        return {"name": words[0], "format": words[2] or "iceberg", "location": words[1]}

    def discover(self, *words: object) -> Iterator[Row]:
        self.calls.append(("discover", *words))
        return _given(self.lists["discover"])

    def remove(self, name: str) -> None:
        self.calls.append(("remove", name))
        if name == "missing":
            raise TableNotFound("no table of that name is registered")

    def refresh(self, name: str, advance: Advance) -> Row:
        self.calls.append(("refresh", name))
        advance(1, 1)
        (report,) = _given([self.lists[name][0]])
        return report

    def refresh_many(self, names: Sequence[str], advance: Advance) -> Iterator[Refreshed]:
        for name in names:
            try:
                yield Refreshed(name, self.refresh(name, advance), stale=self.stale(name))
            except CatalogError as error:
                yield Refreshed(name, error=error)

    def sweep(self, grace_seconds: float) -> Row:
        self.calls.append(("sweep", grace_seconds))
        return {"unregistered": 1, "files": 1, "bytes": 12_345}

    def stale(self, name: str) -> str | None:
        return self.stale_reasons.get(name)

    def close(self) -> None:
        self.closed = True


def _given(rows: Iterable[Row | Exception]) -> Iterator[Row]:
    for row in rows:
        if isinstance(row, Exception):
            raise row
        yield row


class Outcome:
    """The result of a command."""

    def __init__(self, words: Sequence[str]) -> None:
        result = CliRunner().invoke(app, list(words), prog_name="lakemuster")
        self.status = result.exit_code
        self.out = result.stdout
        self.err = result.stderr
        self.error = result.exception

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def run(*words: str) -> Outcome:
    return Outcome(words)
