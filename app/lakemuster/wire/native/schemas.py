"""JSON models of schemas, partition specs and refs."""

from __future__ import annotations

from typing import Literal, NotRequired, cast

from pydantic import BaseModel, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from lakemuster.metadata.partition import PartitionSpec, result_type
from lakemuster.metadata.schema import Schema
from lakemuster.metadata.snapshot import Ref
from lakemuster.metadata.types import Field as MetadataField
from lakemuster.metadata.types import ListType, MapType, Primitive, StructType, Type
from lakemuster.wire.documents import plain
from lakemuster.wire.instants import format_instant
from lakemuster.wire.model import Id, InstantText, Long, WireModel, also_keys_of

Json = dict[str, object]

_ListMembers = TypedDict("_ListMembers", {"element-id": int, "element-required": bool})
_MapMembers = TypedDict("_MapMembers", {"key-id": int, "value-id": int, "value-required": bool})
_Defaults = TypedDict("_Defaults", {"initial-default": NotRequired[object], "write-default": NotRequired[object]})
_CLOSED = ConfigDict(extra="forbid")


@with_config(_CLOSED)
class SchemaFieldOut(_Defaults):
    """A field in the JSON form of the Iceberg specification. A primitive type is its name in the table's own format."""

    id: int
    name: str
    required: bool
    type: str | StructTypeOut | ListTypeOut | MapTypeOut
    doc: NotRequired[str]


@with_config(_CLOSED)
class StructTypeOut(TypedDict):
    """A struct type. `text` is its name in the table's own format, if that is another."""

    type: Literal["struct"]
    fields: list[SchemaFieldOut]
    text: NotRequired[str]


@with_config(_CLOSED)
class ListTypeOut(_ListMembers):
    """A list type. `text` is its name in the table's own format, if that is another."""

    type: Literal["list"]
    element: str | StructTypeOut | ListTypeOut | MapTypeOut
    text: NotRequired[str]


@with_config(_CLOSED)
class MapTypeOut(_MapMembers):
    """A map type. `text` is its name in the table's own format, if that is another."""

    type: Literal["map"]
    key: str | StructTypeOut | ListTypeOut | MapTypeOut
    value: str | StructTypeOut | ListTypeOut | MapTypeOut
    text: NotRequired[str]


class SchemaOut(WireModel):
    """A schema: one version of a table's columns."""

    schema_id: int
    branch: str = Field(description="The Paimon branch that the schema belongs to; `main` for Iceberg.")
    current: bool = Field(description="Whether it is the one that new files are written with.")
    fields: list[SchemaFieldOut] = Field(description="The columns.")
    identifier_field_ids: list[int] = Field(
        description="Ids of Iceberg's identifier fields, or of Paimon's primary key columns."
    )
    highest_field_id: int | None
    partition_keys: list[str] = Field(description="Names of Paimon's partition columns; empty for Iceberg.")
    primary_keys: list[str] = Field(description="Names of Paimon's primary key columns; empty for Iceberg.")
    options: dict[str, str] = Field(description="Paimon's table options; empty for Iceberg.")
    comment: str | None
    created_at: InstantText | None = Field(
        description="Time of creation, RFC 3339; null if the format does not record it."
    )

    @classmethod
    def of(cls, schema: Schema, branch: str, *, current: bool) -> SchemaOut:
        """Build the JSON of a schema."""
        return cls(
            schema_id=schema.schema_id,
            branch=branch,
            current=current,
            fields=[cast("SchemaFieldOut", field_json(field)) for field in schema.fields],
            identifier_field_ids=list(schema.identifier_field_ids),
            highest_field_id=schema.highest_field_id,
            partition_keys=list(schema.partition_keys),
            primary_keys=list(schema.primary_keys),
            options=dict(schema.options),
            comment=schema.comment,
            created_at=None if schema.created_at_ms is None else format_instant(schema.created_at_ms),
        )


class PartitionFieldOut(WireModel):
    """A field of a partition spec."""

    field_id: int
    name: str = Field(
        description="Its name in lists of files and partitions: as recorded, with `_` and the id appended if a newer "
        "field whose values have another type uses the name."
    )
    transform: str = Field(examples=["identity", "bucket[16]", "day"])
    source_ids: list[int] = Field(description="Field ids of the columns that it is computed from.")
    type: str = Field(description="Type of its values; `unknown` if it cannot be derived.")


class SpecOut(WireModel):
    """A partition spec: one version of a table's partitioning."""

    spec_id: int
    default: bool = Field(description="Whether it is the one that new files are written with.")
    fields: list[PartitionFieldOut]

    @classmethod
    def of(cls, spec: PartitionSpec, schemas: tuple[Schema, ...], *, default: bool) -> SpecOut:
        """Build the JSON of a spec; types come from ``schemas``, the preferred one first."""
        return cls(
            spec_id=spec.spec_id,
            default=default,
            fields=[
                PartitionFieldOut(
                    field_id=field.field_id,
                    name=field.name,
                    transform=field.transform,
                    source_ids=list(field.source_ids),
                    type=result_type(field, schemas).text,
                )
                for field in spec.fields
            ],
        )


class FurtherRefKeys(BaseModel):
    """Keys that a ref has if its metadata does. Only for documentation."""

    max_ref_age_ms: Long | None = Field(None, description="Iceberg.")
    max_snapshot_age_ms: Long | None = Field(None, description="Iceberg: of branches.")
    min_snapshots_to_keep: Long | None = Field(None, description="Iceberg: of branches.")
    tag_create_time: str | None = Field(
        None, description="Paimon: wall-clock time in the writer's time zone, which is not recorded."
    )
    tag_time_retained: str | None = Field(None, description="Paimon: retention as an ISO 8601 duration.")


class RefOut(WireModel):
    """A branch or a tag. Further keys depend on the format."""

    model_config = ConfigDict(frozen=True, extra="allow", json_schema_extra=also_keys_of(FurtherRefKeys))

    name: str
    type: Literal["branch", "tag"]
    snapshot_id: Id
    branch: str = Field(description="The Paimon branch that `snapshot_id` belongs to; `main` for Iceberg.")

    @classmethod
    def of(cls, ref: Ref) -> RefOut:
        """Build the JSON of a ref."""
        own = {"name": ref.name, "type": ref.kind, "snapshot_id": ref.snapshot_id, "branch": ref.branch}
        return cls.model_validate({**{key: plain(value) for key, value in ref.extra.items()}, **own})


def field_json(field: MetadataField) -> Json:
    """Convert a field to Iceberg's JSON form; absent defaults and documentation are left out."""
    document: Json = {
        "id": field.field_id,
        "name": field.name,
        "required": field.required,
        "type": type_json(field.type),
    }
    for key, value in (
        ("doc", field.doc),
        ("initial-default", field.initial_default),
        ("write-default", field.write_default),
    ):
        if value is not None:
            document[key] = plain(value)
    return document


def type_json(of: Type) -> str | Json:
    """Convert a type to Iceberg's JSON form; ``text`` is the table format's own name of a nested type."""
    document: Json
    match of:
        case Primitive(text=text):
            return text
        case StructType(fields=fields):
            document = {"type": "struct", "fields": [field_json(field) for field in fields]}
        case ListType(element=element):
            document = {
                "type": "list",
                "element-id": element.field_id,
                "element": type_json(element.type),
                "element-required": element.required,
            }
        case MapType(key=key, value=value):
            document = {
                "type": "map",
                "key-id": key.field_id,
                "key": type_json(key.type),
                "value-id": value.field_id,
                "value": type_json(value.type),
                "value-required": value.required,
            }
    if of.text != document["type"]:
        document["text"] = of.text
    return document
