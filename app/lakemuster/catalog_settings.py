"""Settings of one attached catalog: a table ``[catalogs.NAME]`` of the settings file.

Properties have PyIceberg's names; a few more are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

PROTOCOL_WORDS = frozenset({"config", "namespaces", "tables", "views", "transactions", "oauth"})
"""Path segments of the Iceberg REST protocol: a catalog of that name could not be told from them."""
_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class CatalogSettings(BaseModel):
    """An attached catalog."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    type: Literal["rest"] = Field(description="Protocol of the catalog: `rest`.")
    auth: Literal["forward", "service"] = Field(
        "service",
        description="Whose rights decide: the caller's own at the catalog (`forward`), or this server's (`service`).",
    )
    roots: tuple[str, ...] = Field(
        (), description="URL prefixes under which the catalog's tables may live; empty: those of `ROOTS`."
    )

    include: tuple[str, ...] = Field(
        (), description="Patterns of the names, `ns.table`, that are tables here; empty: all of the catalog's."
    )
    exclude: tuple[str, ...] = Field((), description="Patterns of names that are not, even if they are included.")

    def has(self, name: str) -> bool:
        """Whether a table of the catalog is one here, given its dotted name there."""
        is_included = not self.include or any(fnmatchcase(name, pattern) for pattern in self.include)
        return is_included and not any(fnmatchcase(name, pattern) for pattern in self.exclude)

    @property
    def properties(self) -> Mapping[str, str]:
        """The catalog's own properties, under PyIceberg's names; they may hold secrets."""
        return {name: _text(value) for name, value in (self.__pydantic_extra__ or {}).items()}

    @model_validator(mode="after")
    def _has_uri(self) -> Self:
        uri = urlsplit(self.properties.get("uri", ""))
        if uri.scheme not in {"http", "https"} or not uri.hostname or uri.query or uri.fragment:
            raise ValueError("uri must be an http or https URL without a query")
        return self

    @model_validator(mode="after")
    def _signs_for_itself(self) -> Self:
        if self.auth == "forward" and self.properties.get("rest.sigv4-enabled", "").lower() == "true":
            raise ValueError('a catalog with rest.sigv4-enabled needs auth = "service": its requests are signed here')
        return self

    @field_validator("*", mode="before")
    @classmethod
    def _no_list(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    def __repr_args__(self) -> Any:
        """Only what holds no secret."""
        return [("type", self.type), ("auth", self.auth)]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _checked(names: Mapping[str, CatalogSettings]) -> Mapping[str, CatalogSettings]:
    for name in names:
        if not _NAME.fullmatch(name) or name in PROTOCOL_WORDS:
            raise ValueError(
                f"{name!r} cannot name a catalog: use a-z, 0-9, _ or -, none of {', '.join(sorted(PROTOCOL_WORDS))}"
            )
    return names


Catalogs = Annotated[Mapping[str, CatalogSettings], AfterValidator(_checked)]
"""Attached catalogs by name."""
