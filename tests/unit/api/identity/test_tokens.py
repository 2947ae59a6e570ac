"""The tokens file: tokens, roles, namespaces."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from lakemuster.api.identity.authenticator import bearer_token
from lakemuster.api.identity.callers import Caller, Grant
from lakemuster.api.identity.policy import Policy
from lakemuster.api.identity.tokens import Tokens, hash_token, namespace_entry, new_token, read_rules, token_entry
from lakemuster.errors import ConfigInvalid, NotAuthenticated, NotAuthorised, RequestInvalid


def file_of(folder: Path, *entries: str) -> str:
    path = folder / "tokens.toml"
    path.write_text("\n".join(entries), "utf-8")
    return str(path)


def caller_of(tokens: Tokens, header: str | None) -> Caller:
    found = tokens.find(bearer_token(header))
    if found is None:
        raise NotAuthenticated("unknown")
    return found


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return read_rules(
        file_of(
            tmp_path,
            token_entry("boards", "secret-1", "read", ["shop", "`a.b`.c"]),
            token_entry("ops", "secret-2", "admin"),
        )
    ).tokens


def test_a_token_is_known_by_its_hash_alone(tmp_path: Path, tokens: Tokens) -> None:
    assert caller_of(tokens, "Bearer secret-1").name == "boards"
    assert caller_of(tokens, "bearer   secret-2").name == "ops"
    assert "secret" not in (tmp_path / "tokens.toml").read_text()
    assert hash_token("secret-1") == hashlib.sha256(b"secret-1").hexdigest()


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic secret-1",
        "secret-1",
        "Bearer secret-3",
        "Bearer secret-1 x",
        "Bearer \udcff",
    ],
)
def test_anything_else_is_not_authenticated(tokens: Tokens, header: str | None) -> None:
    with pytest.raises(NotAuthenticated):
        caller_of(tokens, header)


@pytest.mark.parametrize(
    ("table", "seen"),
    [
        (("shop", "orders"), True),
        (("shop", "eu", "orders"), True),
        (("a.b", "c", "t"), True),
        (("shop",), False),
        (("shopping", "orders"), False),
        (("a.b", "d", "t"), False),
        (("a", "b", "c", "t"), False),
    ],
)
def test_a_namespace_covers_what_is_below_it(tokens: Tokens, table: tuple[str, ...], seen: bool) -> None:
    assert Policy().sees(caller_of(tokens, "Bearer secret-1"), table) is seen


def test_without_namespaces_everything_is_seen(tokens: Tokens) -> None:
    assert Policy().sees(caller_of(tokens, "Bearer secret-2"), ("any", "table"))


def test_an_empty_list_of_namespaces_sees_nothing(tmp_path: Path) -> None:
    loaded = read_rules(file_of(tmp_path, token_entry("none", "s", "read", []))).tokens
    assert not Policy().sees(caller_of(loaded, "Bearer s"), ("a", "b"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not toml [",
        "[[token]]\nname = 'a'",
        "[[token]]\nname = 'a'\nsha256 = 'secret'\nscope = 'read'",
        f"[[token]]\nname = 'a'\nsha256 = '{'0' * 64}'\nscope = 'write'",
        f"[[token]]\nname = 'a'\nsha256 = '{'0' * 64}'\nscope = 'read'\ntoken = 'secret'",
        f"[[token]]\nname = 'a'\nsha256 = '{'0' * 64}'\nscope = 'read'\nnamespaces = ['a..b']",
        token_entry("a", "x") + token_entry("a", "y"),
        token_entry("a", "x") + token_entry("b", "x"),
        token_entry("a", "x") + "locations = ['s3://lake/../hr']",
        "[[role]]\nname = 'secret'",
        "[[role]]\nname = ''\nscope = 'read'",
        token_entry("a", "x") + "[[namespace]]\nname = 'shop'\nlocations = []",
        token_entry("a", "x") + "[[namespace]]\nname = 'a..b'\nlocations = ['s3://lake']",
        token_entry("a", "x") + "[[namespace]]\nname = 'shop'\nlocations = ['s3://lake/../hr']",
        token_entry("a", "x") + "[[namespace]]\nname = 'shop'\nlocation = ['s3://lake']",
    ],
)
def test_a_wrong_file_stops_the_start_and_shows_no_value(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigInvalid) as refused:
        read_rules(file_of(tmp_path, text))
    assert "secret" not in str(refused.value)
    assert refused.value.message.startswith("TOKENS: ")


def test_a_missing_file_stops_the_start(tmp_path: Path) -> None:
    path = str(tmp_path / "none.toml")
    with pytest.raises(ConfigInvalid) as refused:
        read_rules(path)
    assert refused.value.message == f"TOKENS: {path}: No such file or directory"


@pytest.mark.parametrize("name", ["", "a b", 'a"', "x" * 65])
def test_an_entry_is_not_written_for_a_name_that_would_not_load(name: str) -> None:
    with pytest.raises(RequestInvalid):
        token_entry(name, "secret")


def test_new_tokens_differ() -> None:
    assert new_token() != new_token()


@pytest.mark.parametrize(
    ("namespaces", "table", "locations"),
    [
        (None, ("hr", "people"), None),
        (None, ("shop", "orders"), ("s3://lake/shop", "s3://old/shop")),
        (["shop"], ("shop", "orders"), ("s3://lake/shop", "s3://old/shop")),
        (["shop"], ("shop", "us", "orders"), ("s3://lake/shop", "s3://old/shop")),
        (["shop"], ("shop", "eu", "orders"), ("s3://lake/eu",)),
        (["shop.eu"], ("shop", "eu", "orders"), ("s3://lake/eu",)),
    ],
)
def test_a_table_may_live_where_its_innermost_namespace_says(
    tmp_path: Path, namespaces: list[str] | None, table: tuple[str, ...], locations: tuple[str, ...] | None
) -> None:
    text = [
        token_entry("one", "s", "admin", namespaces),
        namespace_entry("shop", ["s3a://lake/shop/"]),
        namespace_entry("shop.eu", ["s3://lake/eu"]),
        namespace_entry("shop", ["s3://old/shop"]),
    ]
    rules = read_rules(file_of(tmp_path, *text))
    policy = Policy(lambda: rules.locations)
    assert policy.confinement(caller_of(rules.tokens, "Bearer s"), table) == locations


@pytest.mark.parametrize(("namespace", "table"), [("shop.us", ("shop", "us", "orders")), ("hr", ("hr", "people"))])
def test_a_token_of_a_namespace_without_locations_of_its_own_registers_nothing(
    tmp_path: Path, namespace: str, table: tuple[str, ...]
) -> None:
    rules = read_rules(
        file_of(tmp_path, token_entry("one", "s", "admin", [namespace]), namespace_entry("shop", ["s3://lake/shop"]))
    )
    with pytest.raises(NotAuthorised, match="no locations"):
        Policy(lambda: rules.locations).confinement(caller_of(rules.tokens, "Bearer s"), table)


def test_roles_are_for_callers_of_identity_providers(tmp_path: Path) -> None:
    role = "[[role]]\nname = 'owners'\nscope = '{}'\nnamespaces = ['{}']\nlocations = ['s3a://lake/{}/']\n"
    rules = read_rules(file_of(tmp_path, role.format("admin", "shop", "shop"), role.format("read", "catalog:p/*", "p")))
    assert len(rules.tokens) == 0
    assert rules.roles == {
        "owners": (Grant.of("admin", ["shop"], ["s3://lake/shop"]), Grant.of("read", ["catalog:p/*"], ["s3://lake/p"]))
    }
