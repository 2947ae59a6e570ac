"""JSON models of health and readiness."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.wire.model import WireModel


class Health(WireModel):
    """The process answers."""

    status: Literal["ok"]
    version: str


class Ready(WireModel):
    """Whether requests can be answered."""

    ready: bool
    checks: dict[str, str] = Field(description="ok, or the error's code and what is wrong, by dependency.")
