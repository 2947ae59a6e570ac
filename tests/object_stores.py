"""A bucket of a real store's server or emulator, as tests use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Bucket:
    """Where a bucket is, and what opens it. It is written to by other means than what is under test.

    Attributes:
        url: the bucket as a location.
        storage: the STORAGE setting that reaches it.
    """

    url: str
    storage: dict[str, dict[str, Any]]
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    keys: Callable[[], list[str]]


BUCKETS = {"google": "google_bucket", "azure": "azure_container", "hdfs": "hdfs_folder"}
"""The fixtures of buckets, by kind."""

KINDS = ["google", "azure", pytest.param("hdfs", marks=pytest.mark.full)]
"""The kinds as parameters of tests: a cluster takes long to start."""
