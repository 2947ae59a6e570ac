"""Show the progress of long work on stderr, only if it is a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from lakemuster.cli.application import error_line, fail
from lakemuster.cli.output import say
from lakemuster.cli.sources import Advance, Row


@contextmanager
def working(words: str) -> Iterator[Advance]:
    """Show progress, labelled ``words``, while the block runs; call the yielded function with (done, total)."""
    with _shown(words) as shown:
        yield shown.advance


def _no_progress(done: int, total: int) -> None:
    del done, total


@dataclass(frozen=True, slots=True)
class Shown:
    """The progress display while work runs.

    Attributes:
        advance: called with (done, total).
        advance_manifests: called with (done, total) of manifests, which have their own bar from the first call on.
        write_above: writes a line above the bars; None if nothing is shown.
    """

    advance: Advance = _no_progress
    advance_manifests: Advance = _no_progress
    write_above: Callable[[str], None] | None = None


class Count:
    """Counts finished items, and writes lines without damage to the progress bar."""

    def __init__(self, total: int, shown: Shown) -> None:
        self._total = total
        self._done = 0
        self._shown = shown
        self.advance_manifests = shown.advance_manifests

    def step(self) -> None:
        """Count one more item."""
        self._done += 1
        self._shown.advance(self._done, self._total)

    def working(self, words: str) -> AbstractContextManager[Advance]:
        """Show the progress of a single item; for several items, only their number is shown."""
        return working(words) if self._total == 1 else nullcontext(_no_progress)

    def say(self, line: str) -> None:
        """Write a line to stdout."""
        if self._shown.write_above is not None and sys.stdout.isatty():
            self._shown.write_above(line)
        else:
            say(line)

    def fail(self, message: str) -> None:
        """Write an error message to stderr."""
        if self._shown.write_above is not None:
            self._shown.write_above(error_line(message))
        else:
            fail(message)


@contextmanager
def counting(words: str, total: int) -> Iterator[Count]:
    """Show how many of ``total`` items are done, such as 37/120, while the block runs; nothing for a single item."""
    if total == 1:
        yield Count(total, Shown())
        return
    with _shown(words) as shown:
        shown.advance(0, total)
        yield Count(total, shown)


@contextmanager
def _shown(words: str) -> Iterator[Shown]:
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield Shown()
        return
    # Only terminals need Rich, which is slow to import.
    from lakemuster.cli.terminal import progress_on_terminal  # noqa: PLC0415

    with progress_on_terminal(words, "manifests") as (advance, advance_manifests, write_above):
        yield Shown(advance, advance_manifests, write_above)


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
