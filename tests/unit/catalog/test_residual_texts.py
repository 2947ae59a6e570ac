"""The texts of a plan's residuals take a bounded amount of memory."""

from __future__ import annotations

import pytest

from lakemuster.catalog import residual_texts
from lakemuster.catalog.residual_texts import ResidualTexts
from lakemuster.predicates import TRUE, Bound, BoundLeaf, Op
from tests.unit.catalog.test_plan_response import LONG


def leaf(number: int) -> Bound:
    return BoundLeaf(Op.EQ, 1, "id", LONG, (number,), text=f"id = {number}")


def test_texts_beyond_the_limit_are_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(residual_texts, "MAX_CHARACTERS", 25)
    written: list[Bound] = []

    def write(residual: Bound) -> str | None:
        written.append(residual)
        return None if residual is TRUE else "ten letter"

    texts = ResidualTexts(write)
    residuals = [TRUE, *map(leaf, range(4))]
    for _ in range(3):
        assert [texts.of(residual) for residual in residuals] == [None, *["ten letter"] * 4]
        assert [texts.length_of(residual) for residual in residuals] == [0, 10, 10, 10, 10]
    assert written == [*residuals, *residuals[3:], *residuals[3:]]
