"""Buckets of servers and emulators of object stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest


@dataclass(frozen=True)
class Bucket:
    """A bucket, which tests write without the code under test.

    Attributes:
        url: the bucket's location.
        storage: the ``STORAGE`` setting for it.
    """

    url: str
    storage: dict[str, dict[str, Any]]
    put: Callable[[str, bytes], object]
    remove: Callable[[str], object]
    keys: Callable[[], list[str]]


BUCKETS = {"google": "google_bucket", "azure": "azure_container", "hdfs": "hdfs_folder"}
"""The names of bucket fixtures, by kind."""

KINDS = ["google", "azure", pytest.param("hdfs", marks=pytest.mark.full)]
"""The kinds as test parameters; HDFS runs only in full runs, since a cluster is slow to start."""
