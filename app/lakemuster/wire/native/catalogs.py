"""JSON models of attached catalogs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakemuster.catalog_settings import CatalogType
from lakemuster.wire.model import InstantText, WireModel


class CatalogOut(WireModel):
    """An attached catalog."""

    name: str
    type: CatalogType = Field(description="What it is.")
    auth: Literal["forward", "service"] = Field(description="Whose rights decide: the caller's there, or a role here.")
    reachable: bool = Field(description="False after failed requests, until one succeeds.")
    tables: int = Field(description="Number of its tables that are known here.")
    synced_at: InstantText | None = Field(
        description="When its tables were last listed, in the background or by request."
    )
    error: str | None = Field(description="Why the listing in the background has failed since; null if it has not.")


class SyncOut(WireModel):
    """What a listing of a catalog found."""

    name: str
    tables: int = Field(description="Number of tables listed that are tables here.")
    left_out: int = Field(description="Number of others: excluded by the settings, or with names that cannot be used.")
    unnameable: list[str] = Field(
        description="Names of the latter, such as those with a slash, at most 100: only requests that are forwarded to "
        "the catalog reach these tables."
    )
    added: int = Field(description="Number of tables that are new here.")
    removed: int = Field(description="Number of tables removed here, which the catalog does not have any more.")
    renamed: int = Field(description="Number of tables that have another name there than before, and so here.")
    seconds: float = Field(description="How long the listing took.")
