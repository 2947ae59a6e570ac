"""Show the progress of long work on stderr, only if it is a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lakemuster.cli.sources import Advance, Row


@contextmanager
def working(words: str) -> Iterator[Advance]:
    """Show progress, labelled ``words``, while the block runs; call the yielded function with (done, total)."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield _no_progress
        return
    # Only terminals need Rich, which is slow to import.
    from lakemuster.cli.terminal import progress_on_terminal  # noqa: PLC0415

    with progress_on_terminal(words) as advance:
        yield advance


def progress_until_first(rows: Iterable[Row], words: str) -> Iterator[Row]:
    """Yield the rows; show progress until the first, since the table may have to be indexed."""
    iterator = iter(rows)
    with working(words):
        first = next(iterator, None)
    if first is not None:
        yield first
        yield from iterator


def progress_before_each(rows: Iterable[Row], words: str) -> Iterator[Row]:
    """Yield the rows; show progress before each."""
    iterator = iter(rows)
    while True:
        with working(words):
            row = next(iterator, None)
        if row is None:
            return
        yield row


def _no_progress(done: int, total: int) -> None:
    del done, total
