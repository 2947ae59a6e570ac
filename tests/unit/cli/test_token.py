"""The output of ``lakemuster token`` is a tokens file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.api.identity.callers import Caller, Grant
from lakemuster.api.identity.tokens import read_rules
from lakemuster.cli.service import Scope, token


def test_its_lines_are_a_tokens_file_that_knows_the_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token("shop", Scope.ADMIN, ["shop"], ["shop=s3://lake/shop", "shop=s3://old/shop", "shop.eu=s3://lake/a=b"])
    token("reader", Scope.READ)
    printed = capsys.readouterr()
    (tmp_path / "tokens.toml").write_text(printed.out, "utf-8")
    rules = read_rules(str(tmp_path / "tokens.toml"))
    first, second = (line.rpartition(" ")[2] for line in printed.err.splitlines())
    assert rules.tokens.find(first) == Caller("shop", (Grant.of("admin", ["shop"]),))
    assert rules.tokens.find(second) == Caller("reader", (Grant("read"),))
    assert rules.locations == {("shop",): ("s3://lake/shop", "s3://old/shop"), ("shop", "eu"): ("s3://lake/a=b",)}


def test_an_admin_of_namespaces_without_locations_is_told_what_that_means(capsys: pytest.CaptureFixture[str]) -> None:
    token("shop", Scope.ADMIN, ["shop"])
    assert "--location" in capsys.readouterr().err
    token("all", Scope.ADMIN)
    assert "--location" not in capsys.readouterr().err
