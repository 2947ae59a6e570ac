"""JSON models of error responses."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from lakemuster.wire.model import WireModel


class ErrorOut(BaseModel):
    """An error. Further keys depend on the code and help to fix the cause."""

    model_config = ConfigDict(frozen=True, extra="allow")

    code: str = Field(description="Stable error code; codes never change.", examples=["table_not_found"])
    type: str = Field(description="Name of the error class.", examples=["TableNotFound"])
    message: str = Field(description="Description for people; it may change between versions.")


class Problem(WireModel):
    """The body of every response with status 400 or above."""

    error: ErrorOut
