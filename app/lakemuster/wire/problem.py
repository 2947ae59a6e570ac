"""JSON models of error responses."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from lakemuster.wire.model import WireModel


class ErrorOut(BaseModel):
    """What went wrong. Further keys help the person who can act; they differ from code to code."""

    model_config = ConfigDict(frozen=True, extra="allow")

    code: str = Field(description="Public and stable; codes never change.", examples=["table_not_found"])
    type: str = Field(description="The class of the error, in words of one case.", examples=["TableNotFound"])
    message: str = Field(description="One or two sentences for people.")


class Problem(WireModel):
    """The body of every answer with a status of 400 and above."""

    error: ErrorOut
