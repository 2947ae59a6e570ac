"""Errors of the Spark functions. Errors from the server are ``lakemuster.client.ClientError``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


class NotPlainParquet(Exception):
    """Spark's Parquet reader would not return the table's rows.

    Attributes:
        table: its dotted name.
        reason: a human-readable phrase.
        file_path: the first file with the problem; None when the problem is the table's.
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
    """An option of the data source is unknown or has an invalid value.

    Attributes:
        option: its name.
    """

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"option {option} {problem}")
        self.option = option
        self._problem = problem

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.option, self._problem))


class RefMoved(Exception):
    """A branch or tag has moved to another snapshot since the schema was read; load the table again."""

    def __init__(self, table: str, ref: str | None, before: int | None, now: int | None) -> None:
        super().__init__(f"{table}: {ref or 'it'} was at snapshot {before} and is at {now}: load it again")
        self._arguments = (table, ref, before, now)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class SnapshotReplaced(Exception):
    """A snapshot's id belongs to another snapshot since the schema was read; load the table again."""

    def __init__(self, table: str, snapshot_id: int) -> None:
        super().__init__(
            f"{table}: snapshot {snapshot_id} is now another one than before: the table was created again or rolled "
            "back; load it again"
        )
        self._arguments = (table, snapshot_id)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class PlanOutdated(Exception):
    """The server refuses a part of a plan: it does not know the plan's snapshot any more, or the caller is another."""

    def __init__(self, table: str, token: str | None = None) -> None:
        other = f"; or {token} has another caller's token on executors than on the driver" if token else ""
        super().__init__(
            f"{table}: the plan of this query is outdated: its snapshot has expired, or the table was created or "
            f"registered again; load it again{other}"
        )
        self._arguments = (table, token)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class NotAppendOnly(Exception):
    """A stream cannot start or continue: the table's changes are not appends only."""

    def __init__(self, table: str, reason: str, operation: str | None = None) -> None:
        option = {"overwrite": "skip_overwrites", "delete": "skip_deletes"}.get(operation or "")
        hint = "" if option is None else f"; option {option} passes over such snapshots"
        super().__init__(f"{table} cannot be followed: {reason}{hint}")
        self._arguments = (table, reason, operation)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments)


class ReadOnly(Exception):
    """The data source was used for writing."""

    def __init__(self, table: str | None) -> None:
        super().__init__(f"{table or 'the table'} cannot be written: the data source lakemuster is read-only")
        self._table = table

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._table,))


class ErrorSummary(Exception):
    """One line that describes an error and names the table.

    It has no traceback, and is set as the cause of the actual error. Python prints causes first, and Spark shows users
    Python's output, so this line precedes the traceback.
    """


@contextmanager
def in_one_line(table: str | None) -> Iterator[None]:
    """Put one line that names the table before the traceback of an error in the block."""
    try:
        yield
    except Exception as error:
        text = " ".join(str(error).split()) or type(error).__name__
        line = text if table is None or table in text else f"{table}: {text}"
        if isinstance(error.__cause__, ErrorSummary):
            raise
        # Spark's workers set it by default; simplified tracebacks drop causes.
        os.environ.pop("SPARK_SIMPLIFIED_TRACEBACK", None)
        if error.__cause__ is not None:
            error.add_note(f"Its cause: {error.__cause__!r}")
        raise error from ErrorSummary(line)
