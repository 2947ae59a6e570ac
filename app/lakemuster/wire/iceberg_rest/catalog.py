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
    """Client configuration. The client's own properties take precedence over defaults, and overrides over both."""

    defaults: dict[str, str]
    overrides: dict[str, str]
    endpoints: list[str] = Field(description='Endpoints that the server supports, as "VERB path".')


class NamespacesOut(RestModel):
    """Child namespaces of a namespace."""

    namespaces: list[list[str]]
    next_page_token: str | None = Field(
        description="Token of the next page; null on the last page, and if the request has no `pageToken`."
    )


class IcebergNamespaceOut(RestModel):
    """A namespace."""

    namespace: list[str]
    properties: dict[str, str] = Field(description="Always empty: the server stores no properties.")


class IcebergIdentifier(RestModel):
    """The name of a table or view."""

    namespace: list[str]
    name: str


class IcebergIdentifiersOut(RestModel):
    """The tables or views of a namespace."""

    identifiers: list[IcebergIdentifier]
    next_page_token: str | None = Field(
        description="Token of the next page; null on the last page, and if the request has no `pageToken`."
    )


class LoadTableOut(RestModel):
    """A table with its metadata."""

    metadata_location: str = Field(description="Location of the metadata file.")
    metadata: dict[str, Any] = Field(
        description="The content of the metadata file; a moved table's locations are rewritten."
    )
    config: dict[str, str] = Field(description="Client properties for this table.")


class StorageCredential(RestModel):
    """A credential for locations below a prefix."""

    prefix: str
    config: dict[str, str]


class CredentialsOut(RestModel):
    """Credentials for a table: always empty, since clients use their own."""

    storage_credentials: list[StorageCredential]


class MetricsReport(WireModel):
    """A client's metrics report; it is accepted and discarded."""

    model_config = ConfigDict(extra="allow")

    report_type: str = Field(alias="report-type", max_length=100)


class ErrorModel(RestModel):
    """An error."""

    message: str = Field(description="Description for people; it may change between versions.")
    type: str = Field(description="Name of the exception that clients raise.", examples=["NoSuchTableException"])
    code: int = Field(ge=400, le=599, description="The HTTP status.")


class IcebergErrorResponse(RestModel):
    """The body of every response with status 400 or above."""

    error: ErrorModel


class OAuthError(WireModel):
    """The body of a failed token request (RFC 6749)."""

    error: str
    error_description: str
