"""Errors, as Spark shows them, begin with a line that names the table."""

from __future__ import annotations

import pickle
import traceback

import pytest

from lakemuster.spark.errors import OptionInvalid, ReadOnly, in_one_line


def shown(error: BaseException) -> str:
    """Return an error's text as PySpark's workers send it to users."""
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def test_a_line_with_the_table_comes_before_the_traceback():
    with pytest.raises(OptionInvalid) as raised, in_one_line("shop.orders"), in_one_line("shop.orders"):
        raise OptionInvalid("limit", "is at\nleast 1")
    first, *_ = shown(raised.value).splitlines()
    assert first == "lakemuster.spark.errors.ErrorSummary: shop.orders: option limit is at least 1"
    assert "Traceback" in shown(raised.value)


def test_the_table_is_named_once_and_causes_are_kept():
    problem = ValueError("shop.orders is down")
    problem.__cause__ = OSError("no route")
    with pytest.raises(ValueError, match="down") as raised, in_one_line("shop.orders"):
        raise problem
    assert shown(raised.value).splitlines()[0] == "lakemuster.spark.errors.ErrorSummary: shop.orders is down"
    assert "OSError('no route')" in shown(raised.value)


def test_the_sink_says_what_it_is():
    refusal = pickle.loads(pickle.dumps(ReadOnly("shop.orders")))
    assert str(refusal) == "shop.orders cannot be written: the data source lakemuster is read-only"
