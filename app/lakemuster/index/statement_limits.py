"""The interface of time limits of database statements, and that of SQLite, which has none of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class StatementLimits(Protocol):
    """Time limits of statements. Each block raises at its start if the database is known to be unreachable."""

    def querying(self) -> AbstractContextManager[object]:
        """Limit one short statement."""

    def reading(self) -> AbstractContextManager[object]:
        """Limit statements that read."""

    def writing(self) -> AbstractContextManager[object]:
        """Limit statements that may wait for locks."""

    def migrating(self) -> AbstractContextManager[object]:
        """Limit statements that may take hours."""


class Unlimited:
    """No limits: SQLite limits its waits itself."""

    def querying(self) -> AbstractContextManager[object]:
        """Limit nothing."""
        return nullcontext()

    reading = writing = migrating = querying
