"""Count, group by group, the small files that rewrites of Iceberg and Paimon take, and the files that they save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from lakemuster.metadata.health import Measured
from lakemuster.planner.health.commands import Commands
from lakemuster.planner.health.layout import FileGroups
from lakemuster.planner.iceberg import health as iceberg
from lakemuster.planner.paimon import health as paimon
from lakemuster.planner.statistics.rules import SETTING, TargetFileSize

TARGET = 100


@dataclass(frozen=True, slots=True)
class File:
    """A data file's partition, bucket, size, and whether it has the current spec."""

    partition: int
    bucket: int
    is_current: bool
    size: int


def groups_of(files: Sequence[File]) -> FileGroups:
    keys = {key: number for number, key in enumerate(sorted({(f.is_current, f.partition) for f in files}))}
    return FileGroups(
        np.array([f.size for f in files], np.int64),
        np.array([keys[f.is_current, f.partition] for f in files], np.int64),
        np.array([f.bucket for f in files], np.int64),
        np.array([f.is_current for f in files], np.bool_),
        len(keys),
    )


def _layout(files: Sequence[File], deleted: int) -> Any:
    return SimpleNamespace(
        groups=groups_of(files), statistics=SimpleNamespace(deletes=SimpleNamespace(data_files=deleted))
    )


def of_iceberg(files: Sequence[File], deleted: int = 0) -> Measured:
    state: Any = SimpleNamespace(commands=Commands("c", ("ns", "t")))
    return iceberg._small_files(state, _layout(files, deleted), TargetFileSize(TARGET, 75, SETTING))


def of_paimon(files: Sequence[File]) -> Measured:
    state: Any = SimpleNamespace(metadata=SimpleNamespace(schemas=(), current_schema_id=0))
    return paimon._small_files(state, _layout(files, 0), TargetFileSize(TARGET, 70, "x"), "CALL")


def check_iceberg(files: Sequence[File], deleted: int) -> None:
    found = of_iceberg(files, deleted)
    groups: dict[int, list[int]] = defaultdict(list)
    for file in files:
        groups[file.partition if file.is_current else -1].append(file.size)
    small = lower = upper = 0
    for key, sizes in groups.items():
        tiny, huge = [s for s in sizes if s < 75], [s for s in sizes if s > 180]
        whole, count = sum(tiny + huge), len(tiny + huge)
        if tiny and (count >= 5 or (count > 1 and whole > TARGET) or whole > 180):
            small += len(tiny)
            upper += count - 1
            if whole <= TARGET and key >= 0 and not deleted:
                lower += count - 1
    assert found.concerned == small
    assert found.value == (100 * small / len(files) if files else 0)
    assert (found.remedy is None) == (small == 0)
    if small:
        assert found.gain is not None
        assert found.gain.files is not None
        assert (found.gain.files.lower, found.gain.files.upper) == (lower, upper)
        assert (found.gain.files.reason is None) == (lower == upper)


def check_paimon(files: Sequence[File]) -> None:
    found = of_paimon(files)
    groups: dict[tuple[bool, int, int], list[int]] = defaultdict(list)
    for file in files:
        groups[file.is_current, file.partition, file.bucket].append(file.size)
    small = upper = 0
    for sizes in groups.values():
        tiny = [size for size in sizes if size < 70]
        if len(tiny) >= 5 or (len(tiny) > 1 and sum(tiny) >= 2 * TARGET):
            small += len(tiny)
            upper += len(tiny) - 1
    assert found.concerned == small
    assert found.value == (100 * small / len(files) if files else 0)
    if small:
        assert found.gain is not None
        assert found.gain.files is not None
        assert (found.gain.files.lower, found.gain.files.upper) == (0, upper)
