"""JSON models of health and readiness."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.wire.model import WireModel


class Health(WireModel):
    """The process is alive."""

    status: Literal["ok"]
    version: str


class Ready(WireModel):
    """Whether the server can answer requests."""

    ready: bool
    checks: dict[str, str] = Field(description="By check: `ok`, or the error code and message.")
