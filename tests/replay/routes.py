"""The operations of ``openapi.yaml``, and which of them a request asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import yaml

UNLISTED = ("/", "/docs", "/openapi.json")
"""Paths that the document leaves out."""

OTHER = "(none)"


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of a path, whose parameters stand in braces."""

    method: str
    template: str

    def __str__(self) -> str:
        return f"{self.method} {self.template}"


@dataclass(frozen=True, slots=True)
class Routes:
    """All operations, and how a path is one of a template's."""

    operations: tuple[Operation, ...]
    _patterns: tuple[tuple[re.Pattern[str], str], ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Those of a document, and the paths that it leaves out."""
        paths = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["paths"]
        found = [Operation(method.upper(), path) for path, item in paths.items() for method in item]
        found += [Operation("GET", path) for path in UNLISTED]
        # Plain segments win over parameters, as they do in the server.
        templates = sorted({operation.template for operation in found}, key=lambda path: (path.count("{"), path))
        return cls(tuple(found), tuple((_pattern(template), template) for template in templates))

    def template_of(self, path: str) -> str:
        """The template that a path is of; ``(none)`` without one."""
        return next((template for pattern, template in self._patterns if pattern.fullmatch(path)), OTHER)

    def operation_of(self, method: str, path: str) -> Operation:
        """What a request asks for, whether or not the document has it."""
        return Operation(method, self.template_of(path))


def api_of(template: str) -> str:
    """The API that a path belongs to."""
    for prefix, name in (("/api/v1/", "native"), ("/iceberg/", "iceberg"), ("/paimon/", "paimon")):
        if template.startswith(prefix):
            return name
    return "none" if template == OTHER else "process"


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))
