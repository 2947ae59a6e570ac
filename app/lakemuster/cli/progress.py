"""Progress of long work, on stderr, and only for a person who looks at it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lakemuster.cli.sources import Advance, Row


@contextmanager
def working(words: str) -> Iterator[Advance]:
    """Show progress while the block runs, under ``words``; call what it yields with (done, to do)."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _quietly
        return
    # Rich is for terminals only, and takes a while to import.
    from lakemuster.cli.terminal import progress_on_terminal  # noqa: PLC0415

    with progress_on_terminal(words) as advance:
        yield advance


def patiently(rows: Iterable[Row], words: str) -> Iterator[Row]:
    """The rows, with a sign of life before the first: the table may have to be indexed."""
    iterator = iter(rows)
    with working(words):
        first = next(iterator, None)
    if first is not None:
        yield first
        yield from iterator


def slowly(rows: Iterable[Row], words: str) -> Iterator[Row]:
    """The rows, with a sign of life before each."""
    iterator = iter(rows)
    while True:
        with working(words):
            row = next(iterator, None)
        if row is None:
            return
        yield row


def _quietly(done: int, total: int) -> None:
    del done, total
