"""Settings of the tables whose names match a pattern: a table ``[tables."PATTERN"]`` of the settings file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

NanMode = Literal["any", "greatest", "unordered", "none"]
WATCH_SECONDS = 60.0
"""The interval of watched tables whose pattern gives none."""
Interval = Annotated[float, Field(ge=1, allow_inf_nan=False)]
"""Seconds between two looks at a watched table."""
Limit = Annotated[float, Field(ge=0, allow_inf_nan=False)]
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
    """Parse one rule, or several."""
    return (value,) if isinstance(value, Mapping) else tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Threshold:
    """The lowest values at which a component of health is ``warning`` or ``critical``; None: never."""

    warning: float | None = None
    critical: float | None = None


MIB = float(2**20)

THRESHOLDS = {
    "small_files": Threshold(25, 75),
    "delete_debt": Threshold(20, 60),
    "dangling_deletes": Threshold(20, 60),
    "skew": Threshold(10, 100),
    "overlap": Threshold(4, 16),
    "manifests": Threshold(100, 1000),
    "snapshots": Threshold(100, 1000),
    "metadata_size": Threshold(8 * MIB, 64 * MIB),
    "unclustered_writes": Threshold(4, 16),
    "staleness": Threshold(),
    "quarantine": Threshold(1),
    "sorted_runs": Threshold(6, 8),
    "merge_reads": Threshold(50),
}
"""The components of health, in the order in which they are shown, and their default thresholds."""
LEAST_FILES = 10
"""The components that are shares of files are ``ok`` while they concern fewer files than this."""


@dataclass(frozen=True, slots=True)
class HealthRules:
    """The thresholds that hold for one table.

    Attributes:
        thresholds: by component.
        least_files: shares of files are ``ok`` while they concern fewer files than this.
    """

    thresholds: dict[str, Threshold] = field(default_factory=lambda: dict(THRESHOLDS))
    least_files: int = LEAST_FILES


DEFAULT_HEALTH = HealthRules()


class ThresholdSettings(BaseModel):
    """Thresholds of one component; null: never."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    warning: Limit | None = None
    critical: Limit | None = None


def _of_false(value: object) -> object:
    """Convert ``false`` to settings without thresholds."""
    return {} if value is False else value


_Component = Annotated[ThresholdSettings | None, BeforeValidator(_of_false)]


class HealthSettings(BaseModel):
    """Thresholds by component; a component that is not named keeps those of less specific patterns."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    small_files: _Component = None
    delete_debt: _Component = None
    dangling_deletes: _Component = None
    skew: _Component = None
    overlap: _Component = None
    manifests: _Component = None
    snapshots: _Component = None
    metadata_size: _Component = None
    unclustered_writes: _Component = None
    staleness: _Component = None
    quarantine: _Component = None
    sorted_runs: _Component = None
    merge_reads: _Component = None
    least_files: int | None = Field(None, ge=0)

    def threshold(self, component: str) -> ThresholdSettings | None:
        """Return what is set for a component; None if nothing is."""
        found: ThresholdSettings | None = getattr(self, component)
        return found


def health_of(settings: Sequence[HealthSettings]) -> HealthRules:
    """Return the thresholds of a table, given the settings of matching patterns, the most specific first.

    A limit that a pattern does not set is taken from the next pattern; ``false`` removes both.
    """
    if not settings:
        return DEFAULT_HEALTH
    thresholds = dict(THRESHOLDS)
    least = LEAST_FILES
    for one in reversed(settings):
        least = least if one.least_files is None else one.least_files
        for name, before in thresholds.items():
            if (given := one.threshold(name)) is not None:
                named = given.model_fields_set or {"warning", "critical"}
                thresholds[name] = Threshold(
                    given.warning if "warning" in named else before.warning,
                    given.critical if "critical" in named else before.critical,
                )
    return HealthRules(thresholds, least)


class TableSettings(BaseModel):
    """Settings of the tables whose names match one pattern; None where the pattern says nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    staleness: Limit | None = Field(None, description="Maximum age of a pointer's last read, in seconds.")
    history: int | None = Field(
        None, ge=0, le=2**31 - 1, description="Number of newest snapshots that a refresh indexes."
    )
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
    spark_catalog: str | None = Field(
        None,
        min_length=1,
        max_length=255,
        description="Name of the Spark catalog in remedies; by default the attached catalog's, or spark_catalog.",
    )
    health: HealthSettings | None = Field(
        None, description="Thresholds by component of health: {warning = 50, critical = 90}; false: none."
    )

    @field_validator("partition_ready")
    @classmethod
    def _distinct(cls, value: tuple[ReadinessRule, ...] | None) -> tuple[ReadinessRule, ...] | None:
        twice = [title for title, number in Counter(rule.title for rule in value or ()).items() if number > 1]
        if twice:
            raise ValueError(f"two rules of partition_ready are named {twice[0]}: give them names")
        return value

    @staticmethod
    def names() -> set[str]:
        """Return the names of these settings, and of the settings of rules and thresholds in them."""
        models: tuple[type[BaseModel], ...] = (TableSettings, ReadinessRule, HealthSettings, ThresholdSettings)
        return {name for model in models for name in model.model_fields}


@dataclass(frozen=True, slots=True)
class TableRules:
    """The settings that hold for one table.

    Attributes:
        staleness: maximum age of the last look at its pointer, in seconds.
        history: number of newest snapshots that a refresh indexes.
        nan: what comparisons with NaN mean if a request does not set it.
        watch: seconds between two background looks; None: the table is not watched.
        target_file_size: bytes that data files should have; None: the table's own setting.
        partition_ready: rules by which a partition is complete.
        spark_catalog: the Spark catalog in remedies; None: the attached catalog's name, or ``spark_catalog``.
        health: thresholds of health.
    """

    staleness: float
    history: int
    nan: NanMode
    watch: float | None
    target_file_size: int | None = None
    partition_ready: tuple[ReadinessRule, ...] = ()
    spark_catalog: str | None = None
    health: HealthRules = DEFAULT_HEALTH


def matching(tables: Mapping[str, T], name: str) -> list[T]:
    """Return the settings of the patterns that match a table's name, the most specific first."""
    patterns = [pattern for pattern in tables if fnmatchcase(name, pattern)]
    return [tables[pattern] for pattern in sorted(patterns, key=_specificity, reverse=True)]


def _specificity(pattern: str) -> tuple[bool, int, str]:
    """Return a pattern's sort key: no wildcards ranks highest, then more literal characters; the text breaks ties."""
    plain = _WILDCARDS.sub("", pattern)
    return plain == pattern, len(plain), pattern
