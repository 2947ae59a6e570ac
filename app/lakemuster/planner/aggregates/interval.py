"""The answer to an aggregate: a value, or an interval that holds it, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lakemuster.planner.aggregates.kept_files import DescribedFiles
from lakemuster.planner.pruning.prune import UNKNOWN, Counts, Mask


@dataclass(frozen=True, slots=True)
class Interval:
    """A value, or the limits of an unknown one.

    Attributes:
        lower, upper: closed bounds, in the internal form of the value's type; None where there is none. NaN is
            above all numbers.
        exact: the value is ``lower``, which equals ``upper``; None is SQL's null.
        may_be_null: the value may be null instead: it is not known that any row has one.
        reason: why it is not exact.
    """

    lower: object
    upper: object
    exact: bool
    may_be_null: bool = False
    reason: str | None = None

    @classmethod
    def of_value(cls, value: object) -> Interval:
        """Return an exact answer."""
        return cls(value, value, True)


@dataclass(frozen=True, slots=True)
class Exclusions:
    """The values that matching rows cannot have in a column, whatever files record.

    Attributes:
        never_null: no row of the table has a null.
        no_null, no_nan: no row that matches has one.
    """

    never_null: bool = False
    no_null: bool = False
    no_nan: bool = False

    def nulls(self, recorded: Counts | None, certain: Mask) -> Counts:
        """Return the null counts of N files; ``UNKNOWN`` where not recorded, 0 where nulls are excluded."""
        if self.never_null:
            return np.zeros(len(certain), np.int64)
        found = np.full(len(certain), UNKNOWN, np.int64) if recorded is None else recorded
        return np.where(certain, 0, found) if self.no_null else found

    def nans(self, recorded: Counts | None, certain: Mask) -> Counts:
        """Like :meth:`nulls`, for NaN."""
        found = np.full(len(certain), UNKNOWN, np.int64) if recorded is None else recorded
        return np.where(certain, 0, found) if self.no_nan else found


@dataclass(slots=True)
class Doubts:
    """The reasons why an answer is not exact, with the number of files of each."""

    files: Counter[str] = field(default_factory=Counter)

    def add(self, files: DescribedFiles, more: Mapping[str, Mask] | None = None) -> None:
        """Count the files with a reason; ``more`` are reasons besides those that the rows give."""
        some = files.rows.most != 0
        for text, mask in {NOT_CERTAIN: ~files.certain, **files.rows.doubts, **(more or {})}.items():
            if number := int(np.count_nonzero(mask & some)):
                self.files[text] += number

    @property
    def reason(self) -> str | None:
        """The reasons as text; None without any."""
        return (
            "; ".join(f"{count} file{'s' if count > 1 else ''}: {text}" for text, count in self.files.items()) or None
        )


NOT_CERTAIN = "some rows may not match"
