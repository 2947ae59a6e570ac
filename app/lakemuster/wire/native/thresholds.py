"""JSON models of the thresholds of tables' health, which tables show among their settings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.wire.model import WireModel

HealthStatus = Literal["ok", "unknown", "warning", "critical"]


class ThresholdOut(WireModel):
    """From which values on a component is `warning` or `critical`; null: never."""

    warning: float | None
    critical: float | None


class HealthSettingsOut(WireModel):
    """The thresholds of health that apply to a table."""

    thresholds: dict[str, ThresholdOut]
    least_files: int = Field(description="Shares of files are `ok` while they concern fewer files than this.")
