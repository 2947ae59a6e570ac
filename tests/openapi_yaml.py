"""Parse YAML OpenAPI documents, with libyaml's loader if available."""

from __future__ import annotations

from typing import Any

import yaml


def read(text: str) -> dict[str, Any]:
    """Parse a document."""
    found: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return found
