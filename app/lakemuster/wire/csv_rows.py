"""Rows as CSV (RFC 4180): lines end with CR LF, the first one has the names, nested values are JSON text.

Values are written as in JSON, null as nothing, and empty text as two quotation marks. Text that a spreadsheet would
take for a formula, since it begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, gets an apostrophe
before it, unless it is a number: names and messages are untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import orjson

from lakemuster.wire.documents import EXTRA

_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|Infinity)")
_QUOTED = re.compile(r'[",\r\n]|^\s|\s$|^$')


def cells_of(row: Mapping[str, object], names: Sequence[str]) -> list[object]:
    """Return the values of a row by column; keys without a column are one JSON object in the column ``extra``."""
    rest = {key: value for key, value in row.items() if key not in names} if EXTRA in names else {}
    return [(rest or None) if name == EXTRA else row.get(name) for name in names]


def csv_lines(rows: Iterable[Sequence[object]]) -> bytes:
    """Return rows as lines in UTF-8."""
    return "".join(",".join(map(_cell, row)) + "\r\n" for row in rows).encode()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        is_formula = _FORMULA.match(value) is not None and _NUMBER.fullmatch(value) is None
        text = f"'{value}" if is_formula else value
    else:
        text = orjson.dumps(value).decode()
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
