"""The error responses that routes document.

They refer to their models by name, and ``DescribedApp`` adds the models to the OpenAPI document. Given the models
themselves, FastAPI would compile a validator for each of 1,400 documented errors, a tenth of a server's start.
"""

from __future__ import annotations

from typing import Any

from fastapi.encoders import jsonable_encoder
from fastapi.openapi.models import Schema
from pydantic import BaseModel

from lakemuster.wire.iceberg_rest.catalog import IcebergErrorResponse
from lakemuster.wire.paimon_rest.catalog import PaimonErrorResponse
from lakemuster.wire.problem import Problem

SCHEMAS = "#/components/schemas/{model}"
ERROR_MODELS: tuple[type[BaseModel], ...] = (IcebergErrorResponse, PaimonErrorResponse, Problem)


def error_response(model: type[BaseModel], description: str) -> dict[str, Any]:
    """Return the documentation of an error response whose body is one of ``ERROR_MODELS``."""
    schema = {"$ref": SCHEMAS.format(model=model.__name__)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def error_schemas() -> dict[str, Any]:
    """Return the schemas of ``ERROR_MODELS`` and of the models that they contain, by name, as FastAPI writes them."""
    found: dict[str, Any] = {}
    for model in ERROR_MODELS:
        schema = model.model_json_schema(mode="serialization", ref_template=SCHEMAS)
        found |= schema.pop("$defs", {})
        found[model.__name__] = schema
    return {name: jsonable_encoder(Schema(**schema), exclude_none=True) for name, schema in found.items()}
