"""Every error class has a unique public code, an HTTP status, and a place in the documented class tree."""

from __future__ import annotations

import re

from lakemuster import errors
from lakemuster.api.errors import STATUS
from lakemuster.errors import CatalogError


def every_class(root: type[CatalogError] = CatalogError) -> list[type[CatalogError]]:
    return [root, *(found for child in root.__subclasses__() for found in every_class(child))]


def declared() -> list[type[CatalogError]]:
    """Return the classes of ``errors.py``, without subclasses that other tests define."""
    return [kind for kind in every_class() if kind.__module__ == errors.__name__]


def test_every_error_has_a_code_of_its_own():
    kinds = declared()
    assert len(kinds) > 20
    assert all("code" in vars(kind) for kind in kinds)
    codes = [kind.code for kind in kinds]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch("[a-z]+(_[a-z]+)*", code) for code in codes)


def test_a_code_is_its_class_in_snake_case():
    for kind in declared():
        assert kind.code == re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def test_every_error_has_its_own_status():
    assert set(STATUS) == set(declared())
    assert all(400 <= status <= 599 for status in STATUS.values())


def test_no_error_is_defined_elsewhere_in_the_package():
    strangers = [kind for kind in every_class() if kind.__module__.startswith("lakemuster.")]
    assert {kind.__module__ for kind in strangers} <= {errors.__name__, "lakemuster.client.errors"}


def test_the_drawn_tree_is_the_tree():
    assert errors.__doc__ is not None
    drawn = {
        name
        for line in errors.__doc__.splitlines()
        if line.startswith(("│", "├", "└", "CatalogError"))
        for name in re.findall(r"\b[A-Z][a-zA-Z]+\b", re.split(r"  +(?=[a-z.])", line.replace("·", " "))[0])
    }
    assert drawn == {kind.__name__ for kind in declared()}
