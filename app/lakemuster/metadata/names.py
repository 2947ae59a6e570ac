"""Names of tables: dotted levels, in backticks when they hold a dot; a backtick within is doubled.

A level holds no slash, so that a name is one segment of a URL's path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lakemuster.errors import RequestInvalid

Levels = tuple[str, ...]

MAX_CHARACTERS = 1000
_LEVEL = re.compile(r"(?:`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^.`]+))(?P<end>\.|\Z)")
_PARENT = re.compile(r"(?:(?P<parent>.*)\.)?(?:`(?:[^`]|``)+`|[^.`]+)", re.DOTALL)
_REFUSED = re.compile(r"[\x00-\x1f\x7f/\ud800-\udfff]")


def parse_name(text: str) -> Levels:
    """Return the levels of a dotted name, the table's own last.

    Raises:
        RequestInvalid: an empty level, a backtick out of place, a slash or control character, or too long.
    """
    if len(text) > MAX_CHARACTERS or _REFUSED.search(text):
        raise RequestInvalid(f"a name has at most {MAX_CHARACTERS} characters, no slash and no control character")
    levels: list[str] = []
    at, more = 0, True
    while more:
        match = _LEVEL.match(text, at)
        if match is None:
            raise RequestInvalid("not a dotted name: write ns.table, levels that hold a dot in backticks", name=text)
        quoted = match["quoted"]
        levels.append(match["plain"] if quoted is None else quoted.replace("``", "`"))
        at, more = match.end(), match["end"] == "."
    return tuple(levels)


def format_name(levels: Sequence[str]) -> str:
    """Return the canonical spelling of a name: backticks only where they are needed."""
    return ".".join("`" + level.replace("`", "``") + "`" if re.search("[.`]", level) else level for level in levels)


def namespace_of(name: str) -> str:
    """Return the canonical spelling of a table's namespace, given the table's: empty for a name of one level."""
    match = _PARENT.fullmatch(name)
    return "" if match is None else match["parent"] or ""
