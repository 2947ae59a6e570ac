"""What the Spark functions refuse by themselves; what the server refuses is a ``lakemuster.client.ClientError``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class NotPlainParquet(Exception):
    """Spark's Parquet reader would not give the table's rows.

    Attributes:
        table: its dotted name.
        reason: what stands against it, one phrase for people.
        file_path: the first file that it holds for; None when it holds for the table.
    """

    def __init__(self, table: str, reason: str, file_path: str | None = None) -> None:
        where = "" if file_path is None else f" ({file_path})"
        super().__init__(f"{table} cannot be read as plain Parquet files: {reason}{where}")
        self.table = table
        self.reason = reason
        self.file_path = file_path

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.table, self.reason, self.file_path))


class OptionInvalid(Exception):
    """An option of the data source that is none, or has a value that is none.

    Attributes:
        option: its name.
    """

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"option {option} {problem}")
        self.option = option
        self._problem = problem

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.option, self._problem))


class TableMoved(Exception):
    """A branch or tag is of another snapshot than it was when the schema was asked for; load the table again."""

    def __init__(self, table: str, ref: str | None, before: int | None, now: int | None) -> None:
        super().__init__(f"{table}: {ref or 'it'} was at snapshot {before} and is at {now}: load it again")
        self._arguments = (table, ref, before, now)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class NotFollowed(Exception):
    """A stream cannot go on, or start: what happened to the table is more than rows being appended."""

    def __init__(self, table: str, reason: str, operation: str | None = None) -> None:
        option = {"overwrite": "skip_overwrites", "delete": "skip_deletes"}.get(operation or "")
        hint = "" if option is None else f"; option {option} passes over such snapshots"
        super().__init__(f"{table} cannot be followed: {reason}{hint}")
        self._arguments = (table, reason, operation)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class ReadOnly(Exception):
    """Somebody writes with the data source."""

    def __init__(self, table: str | None) -> None:
        super().__init__(f"{table or 'the table'} cannot be written: the data source lakemuster is read-only")
        self._table = table

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._table,))


class Failed(Exception):
    """What went wrong, in one line with the table's name.

    It has no traceback and is the cause of an error that has one. Python shows causes first, and Spark shows users what
    Python does: so the line stands before the traceback.
    """


@contextmanager
def in_one_line(table: str | None) -> Iterator[None]:
    """Make an error of the block begin with one line that names the table."""
    try:
        yield
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        line = said if table is None or table in said else f"{table}: {said}"
        if isinstance(error.__cause__, Failed):
            raise
        # Set in Spark's workers by default: their tracebacks are simplified, and causes dropped from them.
        os.environ.pop("SPARK_SIMPLIFIED_TRACEBACK", None)
        if error.__cause__ is not None:
            error.add_note(f"Its cause: {error.__cause__!r}")
        raise error from Failed(line)
