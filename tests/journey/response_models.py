"""Checks of JSON responses against the schemas of an OpenAPI document, and of schemas that are too loose."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import jsonschema_rs

from tests.journey.native_answers import Answer

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SCHEMAS = "#/components/schemas/"
Schema = dict[str, Any]


class Document:
    """An OpenAPI document as the models of its JSON responses."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.components = document["components"]
        self._paths = document["paths"]
        self._validators: dict[str, jsonschema_rs.Draft202012Validator] = {}

    def operations(self, *prefixes: str) -> set[tuple[str, str]]:
        """Return the operations below some paths."""
        return {(verb.upper(), path) for path in self._paths if path.startswith(prefixes) for verb in self._paths[path]}

    def schema_of(self, answer: Answer) -> Schema | None:
        """Return the schema of a response's status; None if the document has no JSON for it."""
        method, path = answer.operation
        response = self._paths[path][method.lower()]["responses"].get(str(answer.status), {})
        if "$ref" in response:
            response = self.components["responses"][response["$ref"].rsplit("/", 1)[-1]]
        found: Schema | None = response.get("content", {}).get("application/json", {}).get("schema")
        return found

    def broken(self, answers: Iterable[Answer]) -> Iterator[str]:
        """Yield the violations of each response: a status without JSON in the document, or a rule of its schema."""
        for answer in answers:
            schema = self.schema_of(answer)
            if schema is None:
                if answer.body is not None:
                    yield f"{answer.asked}: {answer.status} is not documented"
                continue
            for error in self._validator(schema).iter_errors(answer.body):
                yield f"{answer.asked}: {'.'.join(map(str, error.instance_path))}: {error.message[:300]}"

    def _validator(self, schema: Schema) -> jsonschema_rs.Draft202012Validator:
        key = repr(schema)
        if key not in self._validators:
            whole = {**schema, "components": self.components}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole, validate_formats=True)
        return self._validators[key]

    def fits(self, schema: Schema, value: object) -> bool:
        """Return whether a value is valid for a schema."""
        return self._validator(schema).is_valid(value)


class Seen:
    """The members of components that a set of responses contains.

    Attributes:
        members: by component and member, how often it was ``present``, ``absent`` and ``null``.
        untyped: places of values without a type, and members that a component does not name.
        instants: places of instants whose schema has no format.
    """

    def __init__(self, document: Document, answers: Iterable[Answer]) -> None:
        self._document = document
        self.members: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.untyped: set[str] = set()
        self.instants: set[str] = set()
        for answer in answers:
            if answer.status < 400 and (schema := document.schema_of(answer)) is not None:
                self._see(schema, answer.body, "?")

    def required_in_fact(self) -> set[tuple[str, str]]:
        """Return members that are optional in the document but never absent."""
        return {
            (name, member)
            for (name, member), count in self.members.items()
            if not count["absent"] and member not in self._component(name).get("required", ())
        }

    def never_there(self) -> set[tuple[str, str]]:
        """Return members of occurring components that no response contains."""
        return {place for place, count in self.members.items() if not count["present"]}

    def _component(self, name: str) -> Schema:
        found: Schema = self._document.components["schemas"].get(name, {"required": [name]})
        return found

    def _see(self, schema: Schema, value: object, name: str) -> None:
        if (reference := schema.get("$ref", "")).startswith(_SCHEMAS):
            name = reference.removeprefix(_SCHEMAS)
            self._see(self._document.components["schemas"][name], value, name)
            return
        if "anyOf" in schema:
            fitting = next((one for one in schema["anyOf"] if self._document.fits(one, value)), None)
            if fitting is not None:
                self._see(fitting, value, name)
            return
        if not schema.keys() & {"type", "const", "enum"}:
            self.untyped.add(name)
        if isinstance(value, str) and _INSTANT.fullmatch(value) and schema.get("format") != "date-time":
            self.instants.add(name)
        if isinstance(value, dict):
            self._see_object(schema, value, name)
        elif isinstance(value, list):
            for item in value:
                self._see(schema.get("items", {}), item, f"{name}[]")

    def _see_object(self, schema: Schema, value: dict[str, Any], name: str) -> None:
        properties = schema.get("properties", {})
        for member, inner in properties.items():
            count = self.members[(name, member)]
            count["present" if member in value else "absent"] += 1
            if member in value:
                count["null"] += value[member] is None
                self._see(inner, value[member], f"{name}.{member}")
        further = schema.get("additionalProperties", True)
        for member in value.keys() - properties.keys():
            if isinstance(further, dict):
                self._see(further, value[member], f"{name}.*")
            else:
                self.untyped.add(f"{name}+{member}")
