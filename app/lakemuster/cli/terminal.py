"""Terminal output with Rich: tables that fit the width, and progress bars."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lakemuster.cli.text import NOTHING, printable

Bar = Callable[[int, int], None]

PATIENCE_SECONDS = 0.4
"""Shorter work shows no progress: a bar that only flashes is useless."""

_NUMBER = re.compile(rf"-?[0-9]+(\.[0-9]+)?|{re.escape(NOTHING)}")

NARROWEST = 12
"""Minimum width of a text column, in characters, unless its values are shorter."""
_GAP = 2


def table_on_terminal(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Write a table to stdout. No value is cut: text folds within its column; numbers and ids keep to one line.

    Where the terminal is too narrow for that, each row is written as lines of a name and a value.
    """
    console = Console(file=sys.stdout, highlight=False)
    headings = [column.replace("_", " ") for column in columns]
    is_number = [all(_NUMBER.fullmatch(row[at]) for row in rows) for at in range(len(columns))]
    natural = [
        max(*(len(word) for word in heading.split()), *(cell_len(row[at]) for row in rows))
        for at, heading in enumerate(headings)
    ]
    widths = column_widths(natural, is_number, console.width)
    if widths is None:
        _records_on_terminal(console, headings, rows)
        return
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for heading, numbers, width in zip(headings, is_number, widths, strict=True):
        table.add_column(Text(heading), justify="right" if numbers else "left", overflow="fold", width=width)
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    console.print(table)


def column_widths(natural: Sequence[int], is_number: Sequence[bool], room: int) -> list[int] | None:
    """Return the width of each column, in characters; None if the columns do not fit.

    Args:
        natural: the width of each column's longest value.
        is_number: columns that keep their natural width. Of the others, the widest shrink.
        room: the width of the terminal.
    """
    texts = [width for width, numbers in zip(natural, is_number, strict=True) if not numbers]
    room -= sum(natural) - sum(texts) + _GAP * (len(natural) - 1)
    widest = max(texts, default=0)
    while widest > NARROWEST and sum(min(width, widest) for width in texts) > room:
        widest -= 1
    if sum(min(width, widest) for width in texts) > room:
        return None
    return [width if numbers else min(width, widest) for width, numbers in zip(natural, is_number, strict=True)]


def _records_on_terminal(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    least = max([NARROWEST, *(cell_len(value) for row in rows for value in row if _NUMBER.fullmatch(value))])
    has_room = max(map(cell_len, headings)) + _GAP + least <= console.width
    for row in rows:
        if not has_room:  # the terminal itself wraps the lines; Rich would leave no room for the values
            for heading, value in zip(headings, row, strict=True):
                console.print(Text(f"{heading}{' ' * _GAP}{value}"), soft_wrap=True)
            console.print()
            continue
        record = Table(box=None, show_header=False, pad_edge=False, padding=(0, _GAP, 0, 0))
        record.add_column(no_wrap=True)
        record.add_column(overflow="fold")
        for heading, value in zip(headings, row, strict=True):
            record.add_row(Text(heading), Text(value))
        console.print(record)
        console.print()


@contextmanager
def progress_on_terminal(words: str, parts: str) -> Iterator[tuple[Bar, Bar, Callable[[str], None]]]:
    """Show a progress bar on stderr if the block takes long.

    Args:
        parts: the label of a second bar, which is shown once it is used.

    Yields:
        the bars: functions that take (done, total); and one that writes a line above them.
    """
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
    of_parts = progress.add_task(escape(printable(parts)), total=None, visible=False)

    def advance(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)

    def advance_parts(done: int, total: int) -> None:
        progress.update(of_parts, completed=done, total=total, visible=True)

    def write_above(line: str) -> None:
        console.print(Text(line), soft_wrap=True)

    soon = threading.Timer(PATIENCE_SECONDS, progress.start)
    soon.daemon = True
    soon.start()
    try:
        yield advance, advance_parts, write_above
    finally:
        soon.cancel()
        soon.join()
        progress.stop()
