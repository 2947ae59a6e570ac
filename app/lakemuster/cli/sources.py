"""Where a command's answers come from: the index in this folder, or a server. Both give the same rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

import typer

from lakemuster.cli.options import parse_time
from lakemuster.errors import ConfigInvalid, pip_install

Row = Mapping[str, Any]
Advance = Callable[[int, int], None]
"""Called with what is done and what is to do."""
TableFormat = Literal["iceberg", "paimon"]
Notice = Callable[[str], None]
"""Called with a line for the person who asks, of what an answer does not say: see the two below."""


def not_newest(reason: str) -> str:
    """The line for an answer that is not of the newest state."""
    return f"this is not the table's newest state: {reason}"


def without_effect(conjunct: Row) -> str:
    """The line for a part of a filter that could not drop files, or some of them."""
    return f"{conjunct['filter']} could not drop files: {conjunct['reason']}"


@dataclass(frozen=True, slots=True)
class Query:
    """A list of one table.

    Attributes:
        kind: which list: ``snapshots``, ``files`` …
        table: its dotted name.
        snapshot_id, ref, as_of: at most one; the current snapshot of the main branch without.
        limit: rows that will be read at most.
        options: what the list takes besides, by the name of its HTTP query parameter.
    """

    kind: str
    table: str
    snapshot_id: int | None = None
    ref: str | None = None
    as_of: datetime | None = None
    limit: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


class Source(Protocol):
    """What answers a command. Rows have the form of the native HTTP API."""

    def tables(self) -> Iterable[Row]:
        """All registered tables, by name."""
        ...

    def rows(self, query: Query, notice: Notice) -> Iterable[Row]:
        """A list of one table, whole or an error."""
        ...

    def plan(self, query: Query) -> Iterator[Row]:
        """The pages of a plan, of which each numbers its own delete files; at least one."""
        ...

    def explain(self, query: Query, files: Sequence[str]) -> Row:
        """What a filter does, and why files are kept or dropped."""
        ...

    def add(
        self, name: str, location: str, table_format: TableFormat | None, rewrites: Sequence[tuple[str, str]]
    ) -> Row:
        """Register a table."""
        ...

    def remove(self, name: str) -> None:
        """Forget a table."""
        ...

    def refresh(self, name: str, advance: Advance) -> Row:
        """Look at a table's pointer, and index what is new."""
        ...

    def stale(self, name: str) -> str | None:
        """Why a table's newest state cannot be read; None when it can."""
        ...

    def close(self) -> None:
        """Let go of connections and processes."""
        ...


class LocalIndex(Source, Protocol):
    """The index in this folder, which can walk storage itself."""

    def discover(self, url: str, namespace: str | None, rewrites: Sequence[tuple[str, str]]) -> Iterable[Row]:
        """Register every table below a folder; what became of each."""
        ...

    def sweep(self, grace_seconds: float) -> Row:
        """Remove segments that no table needs, and are older; how many, and their bytes."""
        ...

    def verify(self, name: str, advance: Advance, *, repair: bool, sample: int | None) -> tuple[Row, list[list[str]]]:
        """Compare the index of a table with its metadata: the report, and each difference in words."""
        ...


def query(
    kind: str,
    table: str,
    *,
    snapshot: int | None = None,
    ref: str | None = None,
    as_of: str | None = None,
    limit: int | None = None,
    options: Mapping[str, str | None] | None = None,
) -> Query:
    """A query from a command's options.

    Raises:
        typer.BadParameter: more than one snapshot is chosen, or a time is none.
    """
    chosen = [
        name for name, value in (("--snapshot", snapshot), ("--ref", ref), ("--as-of", as_of)) if value is not None
    ]
    if len(chosen) > 1:
        raise typer.BadParameter("give one of them", param_hint=" / ".join(chosen))
    given = {name: value for name, value in (options or {}).items() if value is not None}
    return Query(kind, table, snapshot, ref, parse_time(as_of), limit, given)


@contextmanager
def source(uri: str | None, token: str | None, token_env: str | None) -> Iterator[Source]:
    """The server at ``uri``, or the local index.

    Raises:
        typer.BadParameter: wrong usage of the three options.
        ConfigInvalid: the local index needs packages that are not installed.
    """
    found: Source
    if uri is None:
        if token is not None or token_env is not None:
            raise typer.BadParameter("a token is for a server: give --uri too", param_hint="--token")
        found = local_source()
    else:
        found = _remote(uri, _token(token, token_env))
    try:
        yield found
    finally:
        found.close()


def local_source(**settings: object) -> LocalIndex:
    """The local index; ``settings`` win over environment and file.

    Raises:
        ConfigInvalid: a setting is wrong, or packages are missing.
    """
    with server_packages("the index of this folder"):
        # FastAPI, SQLAlchemy and Arrow: only for commands that work here.
        from lakemuster.cli.local import LocalSource  # noqa: PLC0415
    return LocalSource.opened(**settings)


@contextmanager
def server_packages(what: str) -> Iterator[None]:
    """Imports of what only ``lakemuster[server]`` installs.

    Raises:
        ConfigInvalid: they are not installed.
    """
    try:
        yield
    except ModuleNotFoundError as cause:
        if (cause.name or "").partition(".")[0] == "lakemuster":
            raise
        raise ConfigInvalid(
            f"{what} needs packages that are not installed ({cause.name} is missing): {pip_install('server')}"
        ) from cause


def _remote(uri: str, token: str | None) -> Source:
    # The client brings httpx.
    from lakemuster.cli.remote import RemoteSource  # noqa: PLC0415

    try:
        return RemoteSource(uri, token)
    except ValueError as cause:
        raise typer.BadParameter(str(cause), param_hint="--uri") from None


def _token(token: str | None, variable: str | None) -> str | None:
    if variable is None:
        return token
    if token is not None:
        raise typer.BadParameter("give one of them", param_hint="--token / --token-env")
    value = os.environ.get(variable, "").strip()
    if not value:
        raise typer.BadParameter(f"the environment variable {variable} is not set", param_hint="--token-env")
    return value
