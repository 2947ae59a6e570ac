"""Models of the Paimon REST catalog: configuration, databases, tables, their history, errors."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from lakemuster.wire.model import WireModel


class RestModel(WireModel):
    """A JSON object of the protocol: its keys are in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Config(RestModel):
    """How a client is to be configured: defaults, what the user says, overrides, each above the one before."""

    defaults: dict[str, str]
    overrides: dict[str, str]


class PageModel(RestModel):
    """A page of a list."""

    next_page_token: str | None = Field(default=None, description="Null on the last page.")


class Audited(RestModel):
    """Who made and changed something, and when: what is not known is empty text."""

    owner: str = ""
    created_at: int = Field(description="Unix epoch, milliseconds.")
    created_by: str = ""
    updated_at: int = Field(description="Unix epoch, milliseconds.")
    updated_by: str = ""


class DatabasesOut(PageModel):
    """Names of databases."""

    databases: list[str]


class DatabaseOut(Audited):
    """A database."""

    id: str
    name: str
    location: str = Field(description="Empty: tables lie where they were registered.")
    options: dict[str, str] = Field(description="None are kept.")


class TablesOut(PageModel):
    """Names of the tables of a database."""

    tables: list[str]


class Identifier(RestModel):
    """The name of something in a database."""

    database: str
    object: str


class IdentifiersOut(PageModel):
    """Names of tables of all databases."""

    tables: list[Identifier]


class TableOut(Audited):
    """A table."""

    id: str = Field(description="Of the registration: a table that is registered anew has another.")
    database: str
    name: str = Field(description="As it was asked for: with the branch, if one was named.")
    path: str = Field(description="The table's root, where it is now.")
    is_external: bool = Field(description="False: clients are to ask here for the newest snapshot, and to commit here.")
    schema_id: int
    table_schema: dict[str, Any] = Field(alias="schema", description="The newest schema: fields, keys, options.")


class TableDetailsOut(PageModel):
    """The tables of a database, whole."""

    table_details: list[TableOut]


class TableSnapshot(RestModel):
    """A snapshot, the records that it says it has, and what is live in it: -1 where the index does not know."""

    snapshot: dict[str, Any] = Field(description="The snapshot's own file.")
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int


class TableSnapshotOut(RestModel):
    """The newest snapshot."""

    snapshot: TableSnapshot


class SnapshotOut(RestModel):
    """One snapshot."""

    snapshot: dict[str, Any] = Field(description="The snapshot's own file.")


class SnapshotsOut(PageModel):
    """Snapshots, the newest first."""

    snapshots: list[dict[str, Any]]


class PartitionOut(RestModel):
    """A partition and what is live in it."""

    spec: dict[str, str] = Field(description="Values by partition key, as directories spell them, not escaped.")
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int = Field(description="Unix epoch, milliseconds.")
    total_buckets: int
    done: bool = Field(description="Always false: marks are not kept here.")


class PartitionsOut(PageModel):
    """Partitions."""

    partitions: list[PartitionOut]


class PartitionNames(WireModel):
    """Partitions that are asked for by name."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)

    specs: list[dict[str, str]] = Field(max_length=1000)


class PartitionFilter(WireModel):
    """A page of partitions that is asked for by a predicate."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)

    filter: str = Field(min_length=1, description="Not looked at: the answer may hold more, which callers leave out.")
    partition_name_pattern: str | None = Field(None, max_length=4096)
    max_results: int | None = Field(None, ge=0, le=10_000)
    page_token: str | None = Field(None, max_length=4096)


class BranchesOut(RestModel):
    """Names of branches, without main."""

    branches: list[str]


class TagsOut(PageModel):
    """Names of tags."""

    tags: list[str]


class TagOut(RestModel):
    """A tag."""

    tag_name: str
    snapshot: dict[str, Any] = Field(description="The snapshot that it keeps.")
    tag_create_time: int | None = Field(description="Unix epoch, milliseconds; the writer's wall clock read as UTC.")
    tag_time_retained: str | None = Field(description="ISO 8601.")


class Consumer(RestModel):
    """A reader that said how far it is."""

    consumer_id: str
    next_snapshot: int = Field(description="The snapshot that it reads next.")


class ConsumersOut(PageModel):
    """Consumers."""

    consumers: list[Consumer]


class QueryAuth(RestModel):
    """What a caller may read of a table: null means all of it."""

    filter: list[str] | None = None
    column_masking: dict[str, str] | None = None


class ViewsOut(PageModel):
    """Names of views: none."""

    views: list[str]


class ViewDetailsOut(PageModel):
    """Views: none."""

    view_details: list[str]


class FunctionsOut(PageModel):
    """Names of functions: none."""

    functions: list[str]


class FunctionDetailsOut(PageModel):
    """Functions: none."""

    function_details: list[str]


class PaimonErrorResponse(RestModel):
    """The body of every answer with a status of 400 and above."""

    resource_type: str | None = Field(description="What is missing.", examples=["TABLE"])
    resource_name: str | None
    message: str = Field(description="One or two sentences for people.")
    code: int = Field(ge=400, le=599, description="The HTTP status, by which clients choose their exception.")
