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
    """Client configuration. The client's own options take precedence over defaults, and overrides over both."""

    defaults: dict[str, str]
    overrides: dict[str, str]


class PageModel(RestModel):
    """A page of a list."""

    next_page_token: str | None = Field(default=None, description="Token of the next page; null on the last page.")


class Audited(RestModel):
    """Who created and changed an object, and when. Names are empty: they are not recorded."""

    owner: str = ""
    created_at: int = Field(description="Milliseconds since 1970-01-01 UTC.")
    created_by: str = ""
    updated_at: int = Field(description="Milliseconds since 1970-01-01 UTC.")
    updated_by: str = ""


class DatabasesOut(PageModel):
    """Names of databases."""

    databases: list[str]


class DatabaseOut(Audited):
    """A database."""

    id: str
    name: str
    location: str = Field(description="Always empty: each table has a location of its own.")
    options: dict[str, str] = Field(description="Always empty: the server stores no options.")


class TablesOut(PageModel):
    """Names of the tables of a database."""

    tables: list[str]


class PaimonIdentifier(RestModel):
    """The name of an object in a database."""

    database: str
    object: str


class PaimonIdentifiersOut(PageModel):
    """Names of tables of all databases."""

    tables: list[PaimonIdentifier]


class PaimonTableOut(Audited):
    """A table."""

    id: str = Field(description="Id of the registration; a table that is registered again gets another id.")
    database: str
    name: str = Field(description="Name as requested, including a branch.")
    path: str = Field(description="The table's root folder, after rewrites.")
    is_external: bool = Field(description="Always false: clients request the newest snapshot from this server.")
    schema_id: int
    table_schema: dict[str, Any] = Field(alias="schema", description="The newest schema: fields, keys and options.")


class TableDetailsOut(PageModel):
    """A page of tables of a database with their details."""

    table_details: list[PaimonTableOut]


class TableSnapshot(RestModel):
    """A snapshot with its totals; -1 means that a total is unknown. Sizes are in bytes."""

    snapshot: dict[str, Any] = Field(description="The content of the snapshot file.")
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int = Field(
        description="Milliseconds since 1970-01-01, the writer's wall-clock time taken as UTC."
    )


class TableSnapshotOut(RestModel):
    """The newest snapshot."""

    snapshot: TableSnapshot


class PaimonSnapshotOut(RestModel):
    """One snapshot."""

    snapshot: dict[str, Any] = Field(description="The content of the snapshot file.")


class SnapshotsOut(PageModel):
    """A page of snapshots, newest first."""

    snapshots: list[dict[str, Any]]


class PartitionOut(RestModel):
    """A partition with totals over its live files."""

    spec: dict[str, str] = Field(description="Values by partition key, as in the names of directories but not escaped.")
    record_count: int
    file_size_in_bytes: int
    file_count: int
    last_file_creation_time: int = Field(description="Milliseconds since 1970-01-01 UTC.")
    total_buckets: int
    done: bool = Field(description="Always false: the server does not record whether partitions are done.")


class PartitionsOut(PageModel):
    """A page of partitions."""

    partitions: list[PartitionOut]


class PartitionNames(WireModel):
    """A request for partitions by name."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)

    specs: list[dict[str, str]] = Field(max_length=1000)


class PartitionFilter(WireModel):
    """A request for a page of partitions by predicate."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)

    filter: str = Field(
        min_length=1,
        description="Ignored: the response may contain partitions that do not match, which clients filter out.",
    )
    partition_name_pattern: str | None = Field(None, max_length=4096)
    max_results: int | None = Field(None, ge=0)
    page_token: str | None = Field(None, max_length=4096)


class BranchesOut(RestModel):
    """Names of branches other than main."""

    branches: list[str]


class TagsOut(PageModel):
    """Names of tags."""

    tags: list[str]


class TagOut(RestModel):
    """A tag."""

    tag_name: str
    snapshot: dict[str, Any] = Field(description="The content of the snapshot that the tag keeps.")
    tag_create_time: int | None = Field(
        description="Milliseconds since 1970-01-01, the writer's wall-clock time taken as UTC."
    )
    tag_time_retained: str | None = Field(description="Retention as an ISO 8601 duration; null: unlimited.")


class Consumer(RestModel):
    """A consumer: a reader that records its progress."""

    consumer_id: str
    next_snapshot: int = Field(description="Id of the snapshot that it reads next.")


class ConsumersOut(PageModel):
    """Consumers."""

    consumers: list[Consumer]


class QueryAuth(RestModel):
    """The rows and columns that a caller may read; null means no restriction."""

    filter: list[str] | None = None
    column_masking: dict[str, str] | None = None


class ViewsOut(PageModel):
    """Names of views: always empty."""

    views: list[str]


class ViewDetailsOut(PageModel):
    """Views: always empty."""

    view_details: list[str]


class FunctionsOut(PageModel):
    """Names of functions: always empty."""

    functions: list[str]


class FunctionDetailsOut(PageModel):
    """Functions: always empty."""

    function_details: list[str]


class PaimonErrorResponse(RestModel):
    """The body of every response with status 400 or above."""

    resource_type: str | None = Field(
        description="Type of the resource that does not exist; null for other errors.", examples=["TABLE"]
    )
    resource_name: str | None
    message: str = Field(description="Description for people; it may change between versions.")
    code: int = Field(ge=400, le=599, description="The HTTP status, which determines the exception that clients raise.")
