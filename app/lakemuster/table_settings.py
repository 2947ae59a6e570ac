"""Settings of the tables whose names match a pattern: a table ``[tables."PATTERN"]`` of the settings file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

NanMode = Literal["any", "greatest", "unordered", "none"]
WATCH_SECONDS = 60.0
"""The interval of watched tables whose pattern gives none."""
Interval = Annotated[float, Field(ge=1, allow_inf_nan=False)]
"""Seconds between two looks at a watched table."""
T = TypeVar("T")
_WILDCARDS = re.compile(r"\*|\?|\[[^]]+\]")
_DURATION = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?) ?(?P<unit>s|m|h|d)")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def _of_duration(value: object) -> object:
    """Parse ``90s``, ``15m``, ``2h`` or ``1d``; numbers are seconds."""
    if not isinstance(value, str):
        return value
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise ValueError("a duration is a number of seconds, or text such as 90s, 15m, 2h or 1d")
    return float(found["number"]) * _UNITS[found["unit"]]


Duration = Annotated[float, BeforeValidator(_of_duration), Field(gt=0, le=366 * 86_400, allow_inf_nan=False)]
"""Seconds."""


class ReadinessRule(BaseModel):
    """When a partition counts as complete: all conditions that are given must hold."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field("", max_length=100, description="Names the rule in events; by default its conditions.")
    quiet: Duration | None = Field(
        None, description="No commit has added to the partition for this time: seconds, or `90s`, `15m`, `2h`, `1d`."
    )
    watermark: str | None = Field(
        None,
        min_length=1,
        description="Property of the snapshot's summary: a time that is not before the end of the partition's time. "
        "Milliseconds since 1970, or ISO 8601. Of a Paimon table, `watermark` is the snapshot's own.",
    )
    sibling: bool = Field(False, description="A later partition has records, with the same values of other fields.")
    time: tuple[str, ...] = Field(
        (), max_length=4, description="Partition fields of the partition's time; by default the first that has one."
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.quiet is None and self.watermark is None and not self.sibling:
            raise ValueError("a rule of partition_ready needs quiet, watermark or sibling")
        return self

    @field_validator("time", mode="before")
    @classmethod
    def _fields(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value

    @property
    def title(self) -> str:
        """The rule's name."""
        given = {"quiet": self.quiet is not None, "watermark": self.watermark is not None, "sibling": self.sibling}
        return self.name or "+".join(name for name, is_given in given.items() if is_given)


def _of_rules(value: object) -> object:
    """One rule, or several."""
    return (value,) if isinstance(value, Mapping) else tuple(value) if isinstance(value, list) else value


class TableSettings(BaseModel):
    """Settings of the tables whose names match one pattern; None where the pattern says nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    staleness: float | None = Field(None, ge=0, description="Maximum age of a pointer's last read, in seconds.")
    history: int | None = Field(None, ge=0, description="Number of newest snapshots that a refresh indexes.")
    nan: NanMode | None = Field(
        None, description="How NaN compares if a request does not set it: any, greatest, unordered or none."
    )
    watch: Interval | bool | None = Field(None, description="Interval of background refreshes in seconds; false: none.")
    target_file_size: int | None = Field(
        None, ge=1, lt=1 << 60, description="Size in bytes that data files should have, in place of the table's own."
    )
    partition_ready: Annotated[tuple[ReadinessRule, ...], BeforeValidator(_of_rules)] | None = Field(
        None, max_length=10, description="Rules by which a partition is complete, which an event then tells."
    )

    @field_validator("partition_ready")
    @classmethod
    def _distinct(cls, value: tuple[ReadinessRule, ...] | None) -> tuple[ReadinessRule, ...] | None:
        twice = [title for title, number in Counter(rule.title for rule in value or ()).items() if number > 1]
        if twice:
            raise ValueError(f"two rules of partition_ready are named {twice[0]}: give them names")
        return value


@dataclass(frozen=True, slots=True)
class TableRules:
    """The settings that hold for one table.

    Attributes:
        staleness: seconds that its pointer may go without a look.
        history: number of newest snapshots that a refresh indexes.
        nan: what comparisons with NaN mean where a request does not say.
        watch: seconds between two background looks; None: the table is not watched.
        target_file_size: bytes that data files should have; None: what the table says.
        partition_ready: rules by which a partition is complete.
    """

    staleness: float
    history: int
    nan: NanMode
    watch: float | None
    target_file_size: int | None = None
    partition_ready: tuple[ReadinessRule, ...] = ()


def matching(tables: Mapping[str, T], name: str) -> list[T]:
    """The settings of the patterns that match a table's name, the most specific first."""
    patterns = [pattern for pattern in tables if fnmatchcase(name, pattern)]
    return [tables[pattern] for pattern in sorted(patterns, key=_specificity, reverse=True)]


def _specificity(pattern: str) -> tuple[bool, int, str]:
    """A pattern's sort key: no wildcards ranks highest, then more literal characters; the text breaks ties."""
    plain = _WILDCARDS.sub("", pattern)
    return plain == pattern, len(plain), pattern
