"""Terminal output with Rich: tables that fit the width, and progress bars."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lakemuster.cli.text import printable

PATIENCE_SECONDS = 0.4
"""Shorter work shows no progress: a bar that only flashes is useless."""

_NARROWEST = 16
"""Minimum width of the widest column, in characters, before other columns shrink too."""


def table_on_terminal(columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str]) -> None:
    """Write a table to stdout; a value too long for its column wraps, without truncation."""
    console = Console(file=sys.stdout, highlight=False)
    headings = [column.replace("_", " ") for column in columns]
    widths = [
        max(*(len(word) for word in heading.split()), *(cell_len(row[at]) for row in rows))
        for at, heading in enumerate(headings)
    ]
    widest = widths.index(max(widths))
    fits = sum(widths) - widths[widest] + 2 * len(widths) + _NARROWEST <= console.width
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at, heading in enumerate(headings):
        table.add_column(
            Text(heading),
            justify="right" if columns[at] in right else "left",
            overflow="fold",
            # Only the widest column shrinks, as long as that is enough.
            width=widths[at] if fits and at != widest else None,
        )
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    console.print(table)


@contextmanager
def progress_on_terminal(words: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr if the block takes long; call the yielded function with (done, total)."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(file=sys.stderr)
    progress = Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    task = progress.add_task(escape(printable(words)), total=None)

    def advance(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)

    soon = threading.Timer(PATIENCE_SECONDS, progress.start)
    soon.daemon = True
    soon.start()
    try:
        yield advance
    finally:
        soon.cancel()
        soon.join()
        progress.stop()
