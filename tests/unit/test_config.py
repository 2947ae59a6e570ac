"""Settings as operators write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakemuster.config import check_exposure, load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.table_settings import WATCH_SECONDS, TableRules


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("s3://lake/a", ("s3://lake/a",)),
        ("s3://lake/a, /data/b", ("s3://lake/a", "/data/b")),
        ('["/data/a,b", "/c"]', ("/data/a,b", "/c")),
        ("", ()),
    ],
)
def test_lists_are_json_or_words_with_commas_between(
    text: str, roots: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lakemuster.toml").write_text(f"roots = '{text}'\n", "utf-8")
    assert load_settings().roots == roots
    (tmp_path / "lakemuster.toml").unlink()
    monkeypatch.setenv("LAKEMUSTER_ROOTS", text)
    assert load_settings().roots == roots


def test_a_file_has_lists_and_tables_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "lakemuster.toml").write_text(
        'ROOTS = ["/data"]\ncors_origins = ["https://a.example"]\n[storage.s3]\nkey = "k"\n', "utf-8"
    )
    settings = load_settings()
    assert (settings.roots, settings.cors_origins) == (("/data",), ("https://a.example",))
    assert settings.storage == {"s3": {"key": "k"}}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("STORAGE", "{bad", "STORAGE: not JSON"),
        ("STORAGE", '{"s3": 1}', "STORAGE.s3: "),
        ("ROOTS", '["/data"', "ROOTS: not JSON"),
        ("ROOTS", "[1]", "ROOTS.0: "),
        ("CORS_ORIGINS", "https://a.example/", "CORS_ORIGINS: 'https://a.example/' is neither an origin"),
        ("CORS_ORIGINS", "a.example", "CORS_ORIGINS: 'a.example' is neither an origin"),
        ("DATABASE_URL", "mysql://x", "DATABASE_URL: must begin with sqlite:///"),
        ("PORT", "65536", "PORT: "),
        ("HISTORY", str(2**63), "HISTORY: must be less than or equal to"),
        ("TABLES", '{"*": {"history": 2147483648}}', "history: must be less than or equal to"),
        ("MAX_STALENESS", "inf", "MAX_STALENESS: must be a finite number"),
        ("TABLES", '{"*": {"staleness": Infinity}}', "staleness: must be a finite number"),
        ("ROOT_PATH", "/metrics", "ROOT_PATH: must not begin with one of the server's own paths"),
        ("ROOT_PATH", "/readyz/x", "ROOT_PATH: must not begin with one of the server's own paths"),
        ("ROOT_PATH", "/a/..", "ROOT_PATH: must begin with a slash"),
        ("SEGMENTS_URL", "", "SEGMENTS_URL: must have at least 1 character"),
        ("BOGUS", "1", "LAKEMUSTER_BOGUS"),
    ],
)
def test_a_wrong_value_is_named(name: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"LAKEMUSTER_{name}", text)
    with pytest.raises(ConfigInvalid) as caught:
        load_settings()
    assert said in caught.value.message


def test_variables_of_the_client_are_no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_URI", "http://lake")
    monkeypatch.setenv("LAKEMUSTER_TOKEN", "secret")
    assert load_settings().tokens is None
    (tmp_path / "lakemuster.toml").write_text("uri = 'http://lake'\n", "utf-8")
    with pytest.raises(ConfigInvalid, match="URI: unknown setting"):
        load_settings()


def test_a_wrong_key_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "lakemuster.toml").write_text("prot = 1\n", "utf-8")
    with pytest.raises(ConfigInvalid, match="PROT: unknown setting"):
        load_settings()


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "lakemuster.toml").mkdir()
    with pytest.raises(ConfigInvalid, match=r"lakemuster.toml: .*directory"):
        load_settings()


@pytest.mark.parametrize("origin", ["*", "https://boards.example", "http://127.0.0.1:3000"])
def test_origins_are_what_browsers_send(origin: str) -> None:
    assert load_settings(cors_origins=(origin,)).cors_origins == (origin,)


def test_the_most_specific_pattern_of_a_tables_name_says_what_nan_means() -> None:
    tables = {
        "*": {"nan": "none"},
        "shop.*": {"nan": "greatest"},
        "shop.or*": {},
        "shop.o*": {"nan": "any"},
        "shop.orders": {"nan": "unordered"},
    }
    settings = load_settings(tables=tables)
    asked = ("shop.orders", "shop.offers", "shop.x", "other.t", "shop")
    assert [settings.of_table(name).nan for name in asked] == ["unordered", "any", "greatest", "none", "none"]
    assert load_settings().of_table("shop.orders").nan == "any"


def test_settings_of_tables_are_read_from_the_environment_and_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lakemuster.toml").write_text('[tables."shop.*"]\nnan = "greatest"\n')
    assert load_settings().of_table("shop.orders").nan == "greatest"
    monkeypatch.setenv("LAKEMUSTER_TABLES", '{"shop.*": {"nan": "none"}}')
    assert load_settings().of_table("shop.orders").nan == "none"
    for wrong in ('{"shop.*": {"nan": "some"}}', '{"shop.*": {"nans": "any"}}', "[1]"):
        monkeypatch.setenv("LAKEMUSTER_TABLES", wrong)
        with pytest.raises(ConfigInvalid, match="TABLES"):
            load_settings()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"OIDC_ISSUER": "https://id.example"}, "needs OIDC_AUDIENCE"),
        ({"OIDC_AUDIENCE": "muster"}, "need OIDC_ISSUER"),
        ({"OIDC_ISSUER": "http://id.example", "OIDC_AUDIENCE": "m"}, "not an https URL"),
        ({"OIDC_ISSUER": "https://id.example?x=s3cret", "OIDC_AUDIENCE": "m"}, "'https://id.example' is not"),
        ({"OIDC_ISSUER": "https://u:s3cret@id.example", "OIDC_AUDIENCE": "m"}, "'id.example' is not"),
        (
            {"OIDC_ISSUER": "https://id.example", "OIDC_AUDIENCE": "m", "OIDC_CLIENT_SECRET": "s"},
            "needs OIDC_CLIENT_ID",
        ),
        (
            {
                "OIDC_ISSUER": "https://a.example,https://b.example",
                "OIDC_AUDIENCE": "m",
                "OIDC_CLIENT_ID": "m",
                "OIDC_CLIENT_SECRET": "s3cret",
            },
            "single OIDC_ISSUER",
        ),
    ],
)
def test_sign_in_is_configured_whole(monkeypatch: pytest.MonkeyPatch, names: dict[str, str], words: str) -> None:
    for name, value in names.items():
        monkeypatch.setenv(f"LAKEMUSTER_{name}", value)
    with pytest.raises(ConfigInvalid, match=words) as refused:
        load_settings()
    assert "s3cret" not in str(refused.value)


def test_an_issuer_is_enough_for_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_OIDC_ISSUER", "https://id.example/realm")
    monkeypatch.setenv("LAKEMUSTER_OIDC_AUDIENCE", "muster")
    check_exposure(load_settings(host="0.0.0.0"), insecure_public=False)


def test_each_setting_of_a_table_is_that_of_the_most_specific_pattern_that_has_it() -> None:
    tables = {"*": {"staleness": 60, "history": 7}, "shop.*": {"history": 0, "nan": "none"}, "shop.a": {"watch": 5}}
    settings = load_settings(tables=tables, watch=("shop.*=20", "*"))
    assert settings.of_table("shop.a") == TableRules(60.0, 0, "none", 5.0)
    assert settings.of_table("shop.b") == TableRules(60.0, 0, "none", 20.0)
    assert settings.of_table("web.c") == TableRules(60.0, 7, "any", WATCH_SECONDS)
    assert load_settings().of_table("web.c") == TableRules(5.0, 100, "any", None)
    assert settings.with_history(3).of_table("shop.a") == TableRules(60.0, 3, "none", 5.0)


def test_a_pattern_of_tables_watches_or_does_not_whatever_watch_says() -> None:
    tables = {"*.hot": {"watch": True}, "shop.*": {"watch": False}, "shop.h*": {"watch": 9}}
    settings = load_settings(tables=tables, watch=("web.*=20",))
    intervals = {name: settings.of_table(name).watch for name in ("web.hot", "web.a", "web.b", "x.hot", "shop.a", "x")}
    assert intervals == {"web.hot": 20, "web.a": 20, "web.b": 20, "x.hot": WATCH_SECONDS, "shop.a": None, "x": None}
    assert settings.of_table("shop.hot").watch == 9


@pytest.mark.parametrize(
    "text", ["shop.*=10,web.*", '["shop.*=10", "web.*"]', '{"shop.*": 10, "web.*": 60}', " web.* , shop.* = 10 "]
)
def test_what_is_watched_is_words_or_json(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_WATCH", text)
    assert load_settings().watch == {"shop.*": 10.0, "web.*": WATCH_SECONDS}


@pytest.mark.parametrize("text", ["a=0", "a=often", "a=inf", "=5", "{", '{"a": null}'])
def test_a_wrong_watch_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_WATCH", text)
    with pytest.raises(ConfigInvalid, match="WATCH"):
        load_settings()
