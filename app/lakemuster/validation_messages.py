"""Describe what pydantic rejects in settings and requests, in plain words: its own messages use terms of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

_SHOULD = re.compile(r"^(?:Input|String|List|Tuple|Set|Dictionary|Data|Keys) should ")
_PLAIN_KEY = re.compile(r"[\w-]+")
_TEXTS = {
    "missing": "missing",
    "extra_forbidden": "unknown name",
    "int_type": "must be an integer",
    "int_parsing": "must be an integer",
    "int_from_float": "must be an integer",
    "int_parsing_size": "must be an integer of fewer digits",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "mapping_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}
INT64 = r"^-?[0-9]{1,19}$"
"""The pattern of a 64-bit integer in text."""
_PATTERNS = {INT64: "must be a 64-bit integer"}
_BYTES = {"decoder_memory", "target_file_size"}
"""Settings in bytes whose names do not end in ``_bytes``."""


def plain_message(problem: Mapping[str, Any]) -> str:
    """Return what is wrong with a value.

    Args:
        problem: one of pydantic's ``ValidationError.errors()``.
    """
    text = _TEXTS.get(problem["type"])
    if problem["type"] == "string_pattern_mismatch":
        text = _PATTERNS.get(problem["ctx"]["pattern"])
    if text is None:
        text = _SHOULD.sub("must ", str(problem["msg"])).removeprefix("Value error, ").replace(" after validation", "")
    return text


def setting_problem(problem: Mapping[str, Any], names: Mapping[str | None, Iterable[str]]) -> str:
    """Return what is wrong with a setting, after its name; a message about several settings has their names itself.

    Args:
        names: the known settings, by None; and the known names within a setting, by its name.
    """
    where: Sequence[Any] = problem["loc"]
    if not where:
        return plain_message(problem)
    first, *rest = map(str, where)
    text = plain_message(problem)
    if problem["type"] == "extra_forbidden":
        known = names.get(first if rest else None, ())
        text = f"unknown setting{did_you_mean(str(where[-1]), known if rest else map(str.upper, known))}"
    elif text == _TEXTS["int_type"] and (str(where[-1]).endswith("_bytes") or where[-1] in _BYTES):
        text = "must be a number of bytes"
    # Below the first level, patterns and names are the user's own.
    return f"{'.'.join((first.upper(), *map(_quoted, rest)))}: {text}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at the most similar known name, in any case; "" if none is similar."""
    by_folded = {other.casefold(): other for other in known}
    near = get_close_matches(name.casefold(), by_folded, 1)
    return f" (did you mean {by_folded[near[0]]}?)" if near else ""


def _quoted(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else f'"{key}"'
