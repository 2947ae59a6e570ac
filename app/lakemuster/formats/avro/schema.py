"""Parse an Avro schema to a bounded tree, and derive the plain schema that decoders get in its place.

Decoders read with a schema that we generate, so that a file's schema cannot harm them or make them differ:

* names are ours (``f0``, ``n1``): the file's may repeat, refer to themselves, or be invalid;
* logical types are removed: ``arrow.py`` applies them to the stored numbers, once for all decoders;
* a string is bytes, a boolean one fixed byte, an enum an int: ``arrow.py`` checks them, once for all decoders;
* a map is the array of key and value records that encodes it;
* types that take no bytes (null, an empty record) are left out; if such a type is in a union, the union's branch is
  read as a long and dropped.

Source: Avro specification 1.12, "Schema Declaration".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import pyarrow as pa

from lakemuster.errors import FormatUnsupported, LimitExceeded, MetadataCorrupt

MAX_DEPTH = 64
MAX_NODES = 4096
MAX_GROWTH = 1024
"""The most bytes of Arrow memory for one encoded byte of a record or an array's item."""

_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
_FEWEST_BYTES = {"null": 0, "float": 4, "double": 8}
_WIDTHS = {"null": 0, "boolean": 1, "int": 4, "long": 8, "float": 4, "double": 8, "enum": 4}
_OFFSET_BYTES = 4
_DECIMAL_DIGITS = 38


@dataclass(frozen=True, slots=True)
class Node:
    """One type of a schema, references resolved.

    Attributes:
        kind: Avro's name of the type; ``branch`` is the branch of a union whose record takes no bytes.
        nullable: whether it is in a union with null; ``null_first`` gives the order.
        children: a record's fields, or the one item of an array. A map's item is a record of key and value.
        symbols: of an enum. size: bytes of a fixed.
        logical: the logical type that we apply, else "".
        fewest_bytes: bytes of the shortest encoding.
        width: the least bytes that one value takes in Arrow, null or not.
        depth, nodes: of this tree, references counted as often as they occur.
    """

    kind: str
    nullable: bool = False
    null_first: bool = True
    children: tuple[tuple[str, Node], ...] = ()
    symbols: tuple[str, ...] = ()
    size: int = 0
    logical: str = ""
    precision: int = 0
    scale: int = 0
    fewest_bytes: int = 1
    width: int = _OFFSET_BYTES
    depth: int = 1
    nodes: int = 1

    @property
    def takes_no_bytes(self) -> bool:
        """Whether the type is null, the empty record, or a record of such types: there is nothing to decode."""
        return self.kind == "null" or (self.kind == "record" and not self.nullable and not self.children)


def parse_schema(schema: object) -> Node:
    """Parse a file's schema to the record of its rows. A union with null around it makes it nullable.

    Raises:
        MetadataCorrupt: not an Avro schema.
        LimitExceeded: deeper, larger or more wasteful than the limits, or recursive.
        FormatUnsupported: not a record, or with a union of more than null and one type.
    """
    node = _Parser().parse(schema, "", MAX_DEPTH)
    if all(child.kind == "branch" for _, child in node.children) or node.kind != "record":
        raise FormatUnsupported("an Avro file whose rows are not records with fields", type=node.kind)
    _check_growth(node)
    return node


def plain_schema(node: Node) -> object:
    """Return the schema to decode ``node`` with, see the module."""
    return _plain(node, (f"n{number}" for number in count()))


def raw_type(node: Node) -> pa.DataType:
    """Return the Arrow type that decoders return for ``plain_schema(node)``."""
    match node.kind:
        case "record":
            return pa.struct([pa.field(f"f{i}", raw_type(child)) for i, (_, child) in enumerate(node.children)])
        case "array":
            return pa.list_(raw_type(node.children[0][1]))
        case "fixed":
            return pa.binary(node.size)
        case _:
            return _RAW[node.kind]


_RAW: dict[str, pa.DataType] = {
    "boolean": pa.binary(1),
    "int": pa.int32(),
    "enum": pa.int32(),
    "long": pa.int64(),
    "branch": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "bytes": pa.binary(),
    "string": pa.binary(),
}


def _plain(node: Node, names: Iterator[str]) -> object:
    plain: object
    match node.kind:
        case "record":
            fields = [{"name": f"f{i}", "type": _plain(child, names)} for i, (_, child) in enumerate(node.children)]
            plain = {"type": "record", "name": next(names), "fields": fields}
        case "array":
            plain = {"type": "array", "items": _plain(node.children[0][1], names)}
        case "fixed" | "boolean":
            plain = {"type": "fixed", "name": next(names), "size": node.size or 1}
        case "enum":
            plain = "int"
        case "string":
            plain = "bytes"
        case "branch":
            return "long"
        case _:
            plain = node.kind
    if not node.nullable:
        return plain
    return ["null", plain] if node.null_first else [plain, "null"]


class _Parser:
    """One walk over a schema's JSON, with the named types declared so far."""

    __slots__ = ("_named",)

    def __init__(self) -> None:
        self._named: dict[str, Node | None] = {}

    def parse(self, schema: object, namespace: str, levels: int) -> Node:
        if levels <= 0:
            raise _too_deep()
        node = self._any(schema, namespace, levels)
        if node.depth > levels:
            raise _too_deep()
        if node.nodes > MAX_NODES:
            raise LimitExceeded("an Avro schema of more types than the limit", limit=MAX_NODES)
        return node

    def _any(self, schema: object, namespace: str, levels: int) -> Node:
        match schema:
            case str():
                return self._name(schema, namespace)
            case list():
                return self._union(schema, namespace, levels)
            case dict():
                kind = schema.get("type")
                if isinstance(kind, str):
                    return self._complex(kind, schema, namespace, levels)
                return self.parse(kind, namespace, levels - 1)
            case _:
                raise MetadataCorrupt("an Avro schema has something in place of a type")

    def _name(self, name: str, namespace: str) -> Node:
        if name in _PRIMITIVES:
            return _leaf(name)
        for full in (_full_name(name, namespace), name):
            if full in self._named:
                node = self._named[full]
                if node is None:
                    raise LimitExceeded("an Avro schema with a recursive type", type=name)
                return node
        raise MetadataCorrupt("an Avro schema that names an unknown type", type=name)

    def _union(self, branches: Sequence[object], namespace: str, levels: int) -> Node:
        nodes = [self.parse(branch, namespace, levels - 1) for branch in branches]
        if [node.kind == "null" for node in nodes] not in ([True, False], [False, True]):
            raise FormatUnsupported("an Avro union other than of null and one type", branches=len(nodes))
        null_first = nodes[0].kind == "null"
        inner = nodes[1] if null_first else nodes[0]
        if inner.nullable or inner.kind == "branch":
            raise MetadataCorrupt("an Avro union within a union")
        if inner.takes_no_bytes:
            return replace(_leaf("branch"), null_first=null_first)
        return replace(
            inner, nullable=True, null_first=null_first, fewest_bytes=1, depth=inner.depth + 1, nodes=inner.nodes + 1
        )

    def _complex(self, kind: str, schema: Mapping[str, object], namespace: str, levels: int) -> Node:
        match kind:
            case "record" | "error":
                return self._record(schema, namespace, levels)
            case "array":
                return _array(self.parse(schema.get("items"), namespace, levels - 1), _logical(schema))
            case "map":
                value = self.parse(schema.get("values"), namespace, levels - 2)
                return _array(_record((("key", _leaf("string")), ("value", value))), "")
            case "enum":
                symbols = _strings(schema.get("symbols"))
                return self._declare(schema, namespace, Node("enum", symbols=symbols, width=_WIDTHS["enum"]))
            case "fixed":
                size = schema.get("size")
                if not isinstance(size, int) or not 0 < size <= 1 << 20:
                    raise MetadataCorrupt("an Avro fixed type without a usable size")
                node = Node("fixed", size=size, fewest_bytes=size, width=size)
                return self._declare(schema, namespace, _with_logical(node, schema))
            case _:
                return _with_logical(self._name(kind, namespace), schema)

    def _record(self, schema: Mapping[str, object], namespace: str, levels: int) -> Node:
        full = _declared_name(schema, namespace)
        self._reserve(full)
        inner = full.rpartition(".")[0]
        fields = schema.get("fields")
        if not isinstance(fields, list):
            raise MetadataCorrupt("an Avro record without fields", type=full)
        children: list[tuple[str, Node]] = []
        for field in fields:
            if not isinstance(field, dict) or not isinstance(field.get("name"), str):
                raise MetadataCorrupt("an Avro record with a field without a name", type=full)
            children.append((field["name"], self.parse(field.get("type"), inner, levels - 1)))
            if sum(child.nodes for _, child in children) > MAX_NODES:
                raise LimitExceeded("an Avro schema of more types than the limit", limit=MAX_NODES)
        if len({name for name, _ in children}) < len(children):
            raise MetadataCorrupt("an Avro record with two fields of one name", type=full)
        node = _record(tuple(children))
        self._named[full] = node
        return node

    def _declare(self, schema: Mapping[str, object], namespace: str, node: Node) -> Node:
        full = _declared_name(schema, namespace)
        self._reserve(full)
        self._named[full] = node
        return node

    def _reserve(self, full: str) -> None:
        if self._named.get(full, ...) is None:
            raise LimitExceeded("an Avro schema with a recursive type", type=full)
        self._named[full] = None


def _leaf(kind: str) -> Node:
    return Node(kind, fewest_bytes=_FEWEST_BYTES.get(kind, 1), width=_WIDTHS.get(kind, _OFFSET_BYTES))


def _record(children: tuple[tuple[str, Node], ...]) -> Node:
    carrying = tuple((name, child) for name, child in children if not child.takes_no_bytes)
    return Node(
        "record",
        children=carrying,
        fewest_bytes=sum(child.fewest_bytes for _, child in carrying),
        width=sum(child.width for _, child in carrying),
        depth=1 + max((child.depth for _, child in children), default=0),
        nodes=1 + sum(child.nodes for _, child in children),
    )


def _array(item: Node, logical: str) -> Node:
    if item.kind == "branch":
        raise FormatUnsupported("an Avro array of empty records")
    if item.fewest_bytes == 0:
        raise LimitExceeded("an Avro array of items that take no bytes: its length has no bound")
    return Node("array", children=(("item", item),), logical=logical, depth=item.depth + 1, nodes=item.nodes + 1)


def _check_growth(node: Node) -> None:
    """Reject a schema by which few bytes decode to much memory, such as nullable fixed types of a megabyte."""
    repeated = [node]
    pending = [node]
    while pending:
        node = pending.pop()
        children = [child for _, child in node.children]
        pending += children
        if node.kind == "array":
            repeated += children
    if any(each.width > MAX_GROWTH * max(1, each.fewest_bytes) for each in repeated):
        raise LimitExceeded("an Avro schema by which few bytes ask for much memory", limit=MAX_GROWTH)


def _with_logical(node: Node, schema: Mapping[str, object]) -> Node:
    logical = _logical(schema)
    if logical == "decimal":
        precision, scale = schema.get("precision"), schema.get("scale", 0)
        if not isinstance(precision, int) or not isinstance(scale, int):
            return node
        # The specification says to ignore an invalid logical type.
        if node.kind in ("bytes", "fixed") and 0 < precision <= _DECIMAL_DIGITS and 0 <= scale <= precision:
            return replace(node, logical=logical, precision=precision, scale=scale)
        return node
    if (node.kind, logical) in _LOGICAL and (node.kind != "fixed" or node.size == 16):
        return replace(node, logical=logical)
    return node


_LOGICAL = frozenset(
    [
        ("int", "date"),
        ("int", "time-millis"),
        ("long", "time-micros"),
        *(("long", f"{local}timestamp-{unit}") for local in ("", "local-") for unit in ("millis", "micros", "nanos")),
        ("string", "uuid"),
        ("fixed", "uuid"),
    ]
)


def _logical(schema: Mapping[str, object]) -> str:
    logical = schema.get("logicalType")
    return logical if isinstance(logical, str) else ""


def _declared_name(schema: Mapping[str, object], namespace: str) -> str:
    name, own = schema.get("name"), schema.get("namespace", namespace)
    if not isinstance(name, str) or not name:
        raise MetadataCorrupt("an Avro schema with a type that needs a name")
    return _full_name(name, own if isinstance(own, str) else namespace)


def _full_name(name: str, namespace: str) -> str:
    return f"{namespace}.{name}" if namespace and "." not in name else name


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise MetadataCorrupt("an Avro enum without symbols")
    return tuple(value)


def _too_deep() -> LimitExceeded:
    return LimitExceeded("an Avro schema deeper than the limit", limit=MAX_DEPTH)
