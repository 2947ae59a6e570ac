"""The names that the error for a missing table suggests."""

from __future__ import annotations

import pytest

from lakemuster.catalog.missing_tables import MAX_SUGGESTIONS, not_registered, similar_names
from lakemuster.errors import IndexUnavailable
from lakemuster.metadata.names import Levels
from lakemuster.metadata.snapshot import Format


class Registered:
    """A stand-in for the index's search of similar names."""

    def __init__(self, *names: str, error: Exception | None = None) -> None:
        self.names = names
        self.error = error

    def similar_names(self, name: Levels, format: Format | None) -> list[str]:
        if self.error is not None:
            raise self.error
        return list(self.names)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("sales.oders", ("sales.orders",)),
        ("SALES.orders", ("sales.orders",)),
        ("sale.orders", ("sales.orders", "web.orders")),
        ("sales.xyz", ()),
        ("sales.", ()),
    ],
)
def test_names_differ_in_case_or_in_spelling_or_in_namespace(name, suggested):
    assert similar_names(Registered("sales.orders", "web.orders", "sales.items"), name) == suggested


def test_hidden_tables_are_not_suggested():
    error = not_registered(
        Registered("a.orders", "a.order"), "a.ordrs", is_visible=lambda levels: levels[-1] == "order"
    )
    assert str(error) == "table a.ordrs is not registered (did you mean a.order?)"


def test_suggestions_are_few():
    found = similar_names(Registered(*(f"a.part{number}" for number in range(9))), "a.part")
    assert len(found) == MAX_SUGGESTIONS


def test_a_table_is_no_suggestion_for_its_own_name():
    assert similar_names(Registered("a.orders"), "a.orders") == ()


def test_a_failing_index_leaves_the_suggestions_out():
    names = Registered(error=IndexUnavailable("the database does not answer"))
    assert str(not_registered(names, "a.b")) == "table a.b is not registered"
