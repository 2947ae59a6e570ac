"""Named bugs to plant in the computation of health; the oracle must detect each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lakemuster.metadata.health import Measured
from lakemuster.planner.health import components, layout
from lakemuster.planner.iceberg import health as iceberg
from lakemuster.planner.paimon import health as paimon

Plant = Callable[[pytest.MonkeyPatch], None]


def _set(target: object, name: str, value: object) -> Plant:
    return lambda patch: patch.setattr(target, name, value)


def _changed(module: Any, name: str, change: Callable[[Measured], Measured]) -> Plant:
    original = getattr(module, name)

    def wrong(*given: Any) -> Any:
        found = original(*given)
        return None if found is None else change(found)

    return _set(module, name, wrong)


def _one_group(patch: pytest.MonkeyPatch) -> None:
    original = layout._groups

    def wrong(*given: Any) -> layout.FileGroups:
        found = original(*given)
        return replace(found, partitions=np.zeros_like(found.partitions), count=1)

    patch.setattr(layout, "_groups", wrong)


BUGS: dict[str, Plant] = {
    "all files are one group": _one_group,
    "a share is not in percent": _set(components, "share", lambda part, whole: part / whole if whole else 0.0),
    "a share of Paimon's files is of one file more": _set(
        paimon, "share", lambda part, whole: 100 * part / (whole + 1)
    ),
    "manifests of other specs count": _set(iceberg, "_is_current", lambda *_: True),
    "one manifest is not saved": _changed(
        iceberg, "_manifests", lambda one: replace(one, value=max(0, (one.value or 0) - 1))
    ),
    "Paimon's manifests have no target size": _set(paimon, "DEFAULT_MANIFEST_BYTES", 1),
    "writes are a mean": _set(iceberg, "median", lambda found: sum(found) / len(found) + 0.01),
    "writes of deletes count": _set(iceberg, "_files_a_partition", lambda *_: 2.0),
    "the age is in milliseconds": _changed(
        components, "staleness", lambda one: replace(one, value=1000 * (one.value or 0))
    ),
    "quarantined snapshots are not counted": _changed(components, "quarantine", lambda one: replace(one, value=-1)),
    "skew is without a least size": _changed(components, "skew", lambda one: replace(one, value=(one.value or 0) + 1)),
    "no delete file dangles": _set(components, "_entries", lambda found: found.position_deletes.count + 1),
}
