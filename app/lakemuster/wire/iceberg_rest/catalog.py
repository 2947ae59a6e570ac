"""Response models of the Iceberg REST catalog: configuration, namespaces, identifiers, tables, errors."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field

from lakemuster.wire.model import WireModel


def hyphened(name: str) -> str:
    """Return a key in the protocol's spelling."""
    return name.replace("_", "-")


class RestModel(WireModel):
    """A JSON object of the protocol: its keys have hyphens."""

    model_config = ConfigDict(alias_generator=hyphened, populate_by_name=True)


class CatalogConfig(RestModel):
    """How a client is to be configured: defaults, what the user says, overrides, each above the one before."""

    defaults: dict[str, str]
    overrides: dict[str, str]
    endpoints: list[str] = Field(description='All that this server has, as "VERB path".')


class NamespacesOut(RestModel):
    """Namespaces below another."""

    namespaces: list[list[str]]
    next_page_token: str | None = Field(description="Null at the end, and when pageToken was not given.")


class NamespaceOut(RestModel):
    """A namespace."""

    namespace: list[str]
    properties: dict[str, str] = Field(description="None are kept.")


class Identifier(RestModel):
    """The name of a table or view."""

    namespace: list[str]
    name: str


class IdentifiersOut(RestModel):
    """The tables or views of a namespace."""

    identifiers: list[Identifier]
    next_page_token: str | None = Field(description="Null at the end, and when pageToken was not given.")


class LoadTableOut(RestModel):
    """A table."""

    metadata_location: str = Field(description="The metadata file.")
    metadata: dict[str, Any] = Field(description="What the file says; of a moved table, its locations as they are now.")
    config: dict[str, str] = Field(description="Properties of the client for this table.")


class StorageCredential(RestModel):
    """A credential for locations below a prefix."""

    prefix: str
    config: dict[str, str]


class CredentialsOut(RestModel):
    """Credentials of a table: none, since clients bring their own."""

    storage_credentials: list[StorageCredential]


class MetricsReport(WireModel):
    """What a client measured. It is not kept."""

    model_config = ConfigDict(extra="allow")

    report_type: str = Field(alias="report-type", max_length=100)


class ErrorModel(RestModel):
    """What went wrong."""

    message: str = Field(description="One or two sentences for people.")
    type: str = Field(description="The exception of clients.", examples=["NoSuchTableException"])
    code: int = Field(ge=400, le=599, description="The HTTP status.")


class IcebergErrorResponse(RestModel):
    """The body of every answer with a status of 400 and above."""

    error: ErrorModel


class OAuthError(WireModel):
    """The body of a refused token request, as RFC 6749 has it."""

    error: str
    error_description: str
