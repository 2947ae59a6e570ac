"""Parser of Paimon's type strings and type objects, to the types of ``metadata.types``.

Atomic types are SQL text (``DECIMAL(10, 2) NOT NULL``), nested types are JSON objects; a few types nest as text too
(``INT ARRAY``, ``VECTOR<FLOAT, 3>``). The ``text`` of a type is its canonical spelling without nullability, so equal
types have equal texts.

A type with an unknown name has the kind ``OTHER``: its values are not interpreted. Elements, keys and values have no
ids in the JSON; their ids are computed as Paimon does for the files it writes, which keeps all ids of a table unique.

Source: Paimon ``DataTypeJsonParser`` and ``SpecialFields`` (element, key and value ids).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Never

from lakemuster.errors import LimitExceeded, MetadataCorrupt
from lakemuster.metadata.types import Field, Kind, ListType, MapType, Primitive, StructType, Type, Unit

MAX_DEPTH = 64
MAX_LENGTH = 2**31 - 1
_NESTED_ID_BASE = MAX_LENGTH // 4
_NESTED_ID_STEP = 1024

_TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*'|`(?:[^`]|``)*`)|([A-Za-z_][^\s<>(),.]*)|(\d+)|([<>(),.]))")
_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_NULLABILITY = re.compile(r"(\s+NOT)?\s+NULL$", re.IGNORECASE)

_PLAIN = {
    "BOOLEAN": Kind.BOOLEAN,
    "TINYINT": Kind.TINYINT,
    "SMALLINT": Kind.SMALLINT,
    "INT": Kind.INT,
    "BIGINT": Kind.LONG,
    "FLOAT": Kind.FLOAT,
    "DOUBLE": Kind.DOUBLE,
    "DATE": Kind.DATE,
    "VARIANT": Kind.VARIANT,
    "BLOB": Kind.BINARY,
}
_SYNONYMS = {"INTEGER": "INT", "NUMERIC": "DECIMAL", "DEC": "DECIMAL"}


def parse_type(json: object, field_id: int) -> tuple[Type, bool]:
    """Parse the type of the field ``field_id``; return it, and True if it is NOT NULL.

    Raises:
        MetadataCorrupt: the text or object is not a type.
        LimitExceeded: nested deeper than 64.
    """
    return _parse(json, field_id, 0)


def parse_field(json: object, depth: int = 0) -> Field:
    """Parse a field object: a column, or a member of a ROW."""
    if not isinstance(json, Mapping):
        raise MetadataCorrupt("a field is not a JSON object")
    field_id, name = json.get("id"), json.get("name")
    if not isinstance(field_id, int) or isinstance(field_id, bool) or not isinstance(name, str):
        raise MetadataCorrupt("a field lacks its id or name", field=str(name))
    kind, required = _parse(json.get("type"), field_id, depth)
    doc = json.get("description")
    return Field(
        field_id, name, kind, required, doc if isinstance(doc, str) else None, write_default=json.get("defaultValue")
    )


def _parse(json: object, field_id: int, depth: int, nesting: int = 1) -> tuple[Type, bool]:
    """Parse a type; ``nesting`` counts the arrays and maps between the field and it."""
    if depth > MAX_DEPTH:
        raise LimitExceeded("a type is nested too deep", limit=MAX_DEPTH)
    if isinstance(json, str):
        return _Text(json, field_id, nesting).parse()
    if not isinstance(json, Mapping) or not isinstance(name := json.get("type"), str):
        raise MetadataCorrupt("a type is neither text nor an object with a type", field_id=field_id)
    required = "NOT NULL" in name
    word = name.split(" ", 1)[0].split("<", 1)[0].upper()
    match word:
        case "ARRAY" | "MULTISET" | "VECTOR":
            of = _parse(json.get("element"), field_id, depth + 1, nesting + 1)
            length = json.get("length") if word == "VECTOR" else None
            return _list(word, of, field_id, nesting, length), required
        case "MAP":
            key = _parse(json.get("key"), field_id, depth + 1, nesting + 1)
            value = _parse(json.get("value"), field_id, depth + 1, nesting + 1)
            offset = field_id * _NESTED_ID_STEP + nesting
            return MapType(
                Field(_NESTED_ID_BASE - offset, "key", *key),
                Field(_NESTED_ID_BASE + offset, "value", *value),
                f"MAP<{_spelling(key)}, {_spelling(value)}>",
            ), required
        case "ROW":
            members = json.get("fields")
            if not isinstance(members, list):
                raise MetadataCorrupt("a ROW type lacks its fields", field_id=field_id)
            fields = tuple(parse_field(member, depth + 1) for member in members)
            inner = ", ".join(f"`{field.name}` {_spelling((field.type, field.required))}" for field in fields)
            return StructType(fields, f"ROW<{inner}>"), required
    if not _NAME.fullmatch(word):
        raise MetadataCorrupt("a type object has an unknown type", field_id=field_id, type=name[:200])
    return Primitive(Kind.OTHER, word), required


def _list(word: str, element: tuple[Type, bool], field_id: int, nesting: int, length: object = None) -> ListType:
    size = f", {length}" if word == "VECTOR" else ""
    offset = field_id * _NESTED_ID_STEP + nesting
    return ListType(Field(_NESTED_ID_BASE + offset, "element", *element), f"{word}<{_spelling(element)}{size}>")


def _spelling(of: tuple[Type, bool]) -> str:
    return of[0].text + (" NOT NULL" if of[1] else "")


class _Text:
    """Parser of one type in SQL text, token by token."""

    def __init__(self, text: str, field_id: int, nesting: int) -> None:
        self._text, self._field_id, self._nesting = text, field_id, nesting
        self._tokens: list[str] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            token = _TOKEN.match(text, position)
            if token is None or len(self._tokens) > 4 * MAX_DEPTH:
                self._refuse()
            word = token.group().strip()
            self._tokens.append(word.upper() if token.group(2) else word)
            position = token.end()
        self._next = 0

    def parse(self) -> tuple[Type, bool]:
        of = self._type(0)
        if self._next != len(self._tokens):
            self._refuse()
        return of

    def _type(self, depth: int) -> tuple[Type, bool]:
        of: tuple[Type, bool] = (self._atomic(depth), self._not_null())
        while (word := self._peek()) in ("ARRAY", "MULTISET"):
            self._next += 1
            of = _list(word, of, self._field_id, self._nesting), self._not_null()
        return of

    def _atomic(self, depth: int) -> Type:
        name = self._take()
        name = _SYNONYMS.get(name, name)
        if name == "DOUBLE" and self._peek() == "PRECISION":
            self._next += 1
        if (kind := _PLAIN.get(name)) is not None:
            return Primitive(kind, name)
        match name:
            case "STRING" | "VARCHAR" | "CHAR":
                return self._characters(name)
            case "BYTES" | "VARBINARY" | "BINARY":
                return self._binary(name)
            case "DECIMAL":
                return self._decimal()
            case "TIME":
                precision = self._precision(0)
                self._zone()
                return Primitive(Kind.TIME, f"TIME({precision})", precision=precision, unit="ms")
            case "TIMESTAMP" | "TIMESTAMP_LTZ":
                return self._timestamp(name)
            case "VECTOR":
                return self._vector(depth)
            case "GEOMETRY" | "GEOGRAPHY":
                kind = Kind.GEOMETRY if name == "GEOMETRY" else Kind.GEOGRAPHY
                return Primitive(kind, name + self._arguments())
        if not _NAME.fullmatch(name) or name in ("NOT", "NULL") or depth:
            self._refuse()
        self._next = len(self._tokens) - len(self._nullability())
        return Primitive(Kind.OTHER, _NULLABILITY.sub("", self._text.strip()))

    def _nullability(self) -> list[str]:
        """Return the trailing tokens that give nullability."""
        for words in (["NOT", "NULL"], ["NULL"]):
            if self._tokens[-len(words) :] == words:
                return words
        return []

    def _characters(self, name: str) -> Primitive:
        length = MAX_LENGTH if name == "STRING" else self._length()
        text = "STRING" if name != "CHAR" and length == MAX_LENGTH else f"{name}({length})"
        return Primitive(Kind.STRING, text, length=length)

    def _binary(self, name: str) -> Primitive:
        length = MAX_LENGTH if name == "BYTES" else self._length()
        text = "BYTES" if name != "BINARY" and length == MAX_LENGTH else f"{name}({length})"
        return Primitive(Kind.BINARY, text, length=length)

    def _decimal(self) -> Primitive:
        numbers = self._numbers()
        if len(numbers) > 2:
            self._refuse()
        precision, scale = (*numbers, *(10, 0)[len(numbers) :])
        if not 1 <= precision <= 38 or scale > precision:
            self._refuse()
        return Primitive(Kind.DECIMAL, f"DECIMAL({precision}, {scale})", precision=precision, scale=scale)

    def _timestamp(self, name: str) -> Primitive:
        precision = self._precision(6)
        local = name == "TIMESTAMP_LTZ" or self._zone()
        unit: Unit = "ms" if precision <= 3 else "us" if precision <= 6 else "ns"
        kind, zone = (Kind.TIMESTAMPTZ, " WITH LOCAL TIME ZONE") if local else (Kind.TIMESTAMP, "")
        return Primitive(kind, f"TIMESTAMP({precision}){zone}", precision=precision, unit=unit)

    def _zone(self) -> bool:
        """Consume ``WITH[OUT] [LOCAL] TIME ZONE`` if it comes next; return True for a local zone."""
        words = self._tokens[self._next : self._next + 4]
        if words[:3] == ["WITHOUT", "TIME", "ZONE"]:
            self._next += 3
        elif words == ["WITH", "LOCAL", "TIME", "ZONE"]:
            self._next += 4
            return True
        return False

    def _vector(self, depth: int) -> ListType:
        if depth > MAX_DEPTH or self._take() != "<":
            self._refuse()
        element = self._type(depth + 1)
        if self._take() != "," or not (length := self._take()).isdecimal() or self._take() != ">":
            self._refuse()
        return _list("VECTOR", element, self._field_id, self._nesting, int(length))

    def _precision(self, default: int) -> int:
        precision = (self._numbers() or [default])[0]
        if precision > 9:
            self._refuse()
        return precision

    def _length(self) -> int:
        length = (self._numbers() or [1])[0]
        if length > MAX_LENGTH:
            self._refuse()
        return length

    def _numbers(self) -> list[int]:
        numbers = []
        for word in self._arguments()[1:-1].split(", "):
            if word and not (word.isdecimal() and len(word) <= 10):
                self._refuse()
            if word:
                numbers.append(int(word))
        return numbers

    def _arguments(self) -> str:
        """Consume ``(a, b)`` if it comes next, and return it in canonical spelling; otherwise empty text."""
        if self._peek() != "(":
            return ""
        self._next += 1
        words = []
        while (word := self._take()) != ")":
            words.append(word)
        return "(" + "".join(", " if word == "," else word for word in words) + ")"

    def _not_null(self) -> bool:
        if self._tokens[self._next : self._next + 2] == ["NOT", "NULL"]:
            self._next += 2
            return True
        self._next += self._peek() == "NULL"
        return False

    def _peek(self) -> str:
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self) -> str:
        if self._next >= len(self._tokens):
            self._refuse()
        self._next += 1
        return self._tokens[self._next - 1]

    def _refuse(self) -> Never:
        raise MetadataCorrupt("not a Paimon type", type=self._text[:200], field_id=self._field_id)
