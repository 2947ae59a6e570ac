"""Log lines in a form that is equal for two equal requests."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Set as AbstractSet

OF_A_REQUEST = frozenset({"request_id", "milliseconds", "time"})
"""Members of access and audit lines that differ between equal requests."""


class Lines(logging.Handler):
    """Collects log lines.

    Args:
        without: members of JSON lines to omit.
    """

    def __init__(self, without: AbstractSet[str] = OF_A_REQUEST) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._without = without

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text.startswith("{"):
            text = json.dumps({name: value for name, value in json.loads(text).items() if name not in self._without})
        self.lines.append(re.sub(r"request \S+ failed", "request failed", f"{record.name} {record.levelname} {text}"))
