"""Read OpenAPI documents in YAML, by the fast loader where there is one."""

from __future__ import annotations

from typing import Any

import yaml


def read(text: str) -> dict[str, Any]:
    """The document of a text."""
    found: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found
