"""What only a terminal sees: tables that fit its width, and the progress of long work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text


def table_on_terminal(columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Collection[str]) -> None:
    """Write a table to stdout; a value too long for its column goes on in the next line, whole."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold", justify="right" if column in right else "left")
    for row in rows:
        table.add_row(*(Text(value) for value in row))
    Console(file=sys.stdout, highlight=False).print(table)


@contextmanager
def progress_on_terminal(words: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr while the block runs; call what it yields with (done, to do)."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as progress:
        task = progress.add_task(escape(words), total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield advance
