"""Code outside a format's own packages does not test a table's format; it uses the registries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from lakemuster.formats.registry import table_formats
from tests.tree import PACKAGE

FORMATS = frozenset(port.name for port in table_formats())
CHECKED = (
    "api",
    "catalog",
    "cli",
    "client",
    "formats",
    "index",
    "ingest",
    "jobs",
    "metadata",
    "planner",
    "predicates",
    "spark",
    "storage",
    "wire",
)
"""The packages that the rule covers."""
OWN = (
    "api/iceberg_rest/",
    "api/paimon_rest/",
    "catalog/iceberg_rest/",
    "catalog/iceberg_rules.py",
    "catalog/paimon_rest/",
    "catalog/paimon_rules.py",
    "catalog/table_formats.py",
    "formats/iceberg/",
    "formats/paimon/",
    "planner/iceberg/",
    "planner/paimon/",
    "spark/reading/iceberg/",
    "spark/reading/paimon/",
    "wire/iceberg_rest/",
    "wire/paimon_rest/",
)
"""Exempt modules: each format's rules, the two REST protocols, and the registration."""


def offences(source: str) -> Iterator[int]:
    """Yield the lines that compare with a format's name or test for a format's class."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(left=left, comparators=comparators):
                named: Iterator[ast.AST]
                named = chain.from_iterable(ast.walk(side) for side in (left, *comparators))
            case ast.MatchValue(value=value):
                named = ast.walk(value)
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, classes]):
                if any(_is_of_a_format(part) for part in ast.walk(classes)):
                    yield node.lineno
                continue
            case ast.MatchClass(cls=cls) if _is_of_a_format(cls):
                yield node.lineno
                continue
            case _:
                continue
        if any(isinstance(part, ast.Constant) and part.value in FORMATS for part in named):
            yield node.lineno


def _is_of_a_format(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return any(each in name.lower() for each in FORMATS)


def checked() -> Iterator[tuple[str, Path]]:
    for package in CHECKED:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            name = path.relative_to(PACKAGE).as_posix()
            if not name.startswith(OWN):
                yield name, path


def test_no_module_asks_for_a_format() -> None:
    modules = list(checked())
    assert len(modules) > len(CHECKED) * 10
    found = [f"{name}:{line}" for name, path in modules for line in offences(path.read_text("utf-8"))]
    assert not found, "use the layer's registry: " + ", ".join(found)


def test_what_knows_its_format_exists() -> None:
    assert not [name for name in OWN if not (PACKAGE / name).exists()]


@pytest.mark.parametrize(
    "planted",
    [
        'if view.table.format == "iceberg":\n    pass',
        'kept = "paimon" != metadata.format',
        'kept = metadata.format in ("paimon",)',
        'match table.format:\n    case "iceberg":\n        pass',
        "kept = isinstance(rules, PaimonReading)",
        "kept = isinstance(rules, str | iceberg.rows.IcebergRows)",
        "match rules:\n    case PaimonReading():\n        pass",
    ],
)
def test_a_planted_question_is_found(planted: str) -> None:
    assert list(offences(planted))


@pytest.mark.parametrize("allowed", ["rules = RULES.of(table)", 'register("iceberg", RULES)', "isinstance(a, Plan)"])
def test_a_registration_is_no_question(allowed: str) -> None:
    assert not list(offences(allowed))
