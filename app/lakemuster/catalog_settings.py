"""Settings of one attached catalog: a table ``[catalogs.NAME]`` of the settings file.

Properties are named as in PyIceberg, and for Paimon catalogs as in pypaimon; Lakemuster adds a few.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal, Self
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

PROTOCOL_WORDS = frozenset({"config", "namespaces", "tables", "views", "transactions", "oauth"})
"""Path segments of the Iceberg REST protocol; a catalog of such a name would be ambiguous in paths."""
CatalogType = Literal["rest", "hive", "glue", "sql", "paimon"]
_NAME = re.compile(r"[a-z0-9_-]{1,64}")


class CatalogSettings(BaseModel):
    """An attached catalog."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    type: CatalogType = Field(
        description="What the catalog is: an Iceberg REST catalog (`rest`), a Hive Metastore, AWS Glue, an Iceberg SQL "
        "catalog, or a Paimon catalog. All but `rest` are only read."
    )
    auth: Literal["forward", "service"] = Field(
        "service",
        description="Whose rights decide: the caller's own at the catalog (`forward`, with `rest` only), or this "
        "server's (`service`).",
    )
    vended: bool = Field(
        False,
        description="Read its tables' files with the credentials that it vends to this server, not with `STORAGE`.",
    )
    roots: tuple[str, ...] = Field(
        (), description="URL prefixes under which the catalog's tables may live; empty: those of `ROOTS`."
    )

    include: tuple[str, ...] = Field(
        (), description="Patterns of the names, `ns.table`, that are tables here; empty: all of the catalog's."
    )
    exclude: tuple[str, ...] = Field((), description="Patterns of names that are not, even if they are included.")

    def has(self, name: str) -> bool:
        """Return whether the patterns select a table of the catalog, given its dotted name there."""
        is_included = not self.include or any(fnmatchcase(name, pattern) for pattern in self.include)
        return is_included and not any(fnmatchcase(name, pattern) for pattern in self.exclude)

    @property
    def properties(self) -> Mapping[str, str]:
        """The catalog's own properties; they may hold secrets."""
        return {name: _text(value) for name, value in (self.__pydantic_extra__ or {}).items()}

    @model_validator(mode="after")
    def _is_reachable(self) -> Self:
        properties = self.properties
        metastore = properties.get("metastore", "filesystem")
        if self.type == "paimon" and metastore not in {"filesystem", "rest", "hive"}:
            raise ValueError("metastore must be filesystem, rest or hive")
        if self.type == "paimon" and metastore != "hive" and not properties.get("warehouse"):
            raise ValueError(f"a Paimon catalog with metastore = {metastore!r} needs a warehouse")
        if self.type == "sql" and not properties.get("uri"):
            raise ValueError("uri must be the URL of a database, such as postgresql+psycopg2://…")
        is_hive = self.type == "hive" or (self.type == "paimon" and metastore == "hive")
        if is_hive and not all(_url_of(uri.strip(), {"thrift"}) for uri in properties.get("uri", "").split(",")):
            raise ValueError("uri must be thrift://HOST:PORT, or several of them, separated by commas")
        if self.type == "rest" or (self.type == "paimon" and metastore == "rest"):
            _require_http(properties.get("uri", ""), "uri")
        if self.type == "glue" and "glue.endpoint" in properties:
            _require_http(properties["glue.endpoint"], "glue.endpoint")
        return self

    @model_validator(mode="after")
    def _can_sign_in(self) -> Self:
        if self.auth == "forward" and self.type != "rest":
            raise ValueError('auth = "forward" needs a catalog of type rest: others know no caller of ours')
        if self.vended and self.type != "rest":
            raise ValueError("vended = true needs a catalog of type rest: others vend no credentials")
        if self.type == "paimon" and self.properties.get("token.provider", "bear") != "bear":
            raise ValueError("token.provider must be bear: no other way to sign in at a Paimon catalog is supported")
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
        """Return only attributes without secrets."""
        return [("type", self.type), ("auth", self.auth)]


def _require_http(text: str, name: str) -> None:
    uri = _url_of(text, {"http", "https"})
    if uri is None or uri.query or uri.fragment:
        raise ValueError(f"{name} must be an http or https URL without a query")


def _url_of(text: str, schemes: Collection[str]) -> SplitResult | None:
    """Return the parts of a URL; None if it has another scheme, no host, or an invalid port."""
    try:
        uri = urlsplit(text)
        is_valid = uri.scheme in schemes and bool(uri.hostname) and uri.port != 0
    except ValueError:
        return None
    return uri if is_valid else None


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
