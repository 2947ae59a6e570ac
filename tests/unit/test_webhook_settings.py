"""Settings of webhooks: refused values, the source of keys, and hidden secrets."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr, ValidationError

from lakemuster.catalog.webhooks import require_keys
from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.webhook_settings import MAX_WEBHOOKS, WebhookSettings, key_of

KEY, OTHER = b"k" * 24, b"o" * 64
SECRET, SECOND = (f"whsec_{base64.b64encode(key).decode()}" for key in (KEY, OTHER))


def hook(**changes: Any) -> WebhookSettings:
    return WebhookSettings.model_validate({"url": "https://a.example", "secret": SECRET, **changes})


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://a", "https://", "https://a:99999", "https://a/#x", "https://me@a", "https://me:pw@a", "a"),
        *("https://a/\n", "https://a b/", "https://é..a/", "https://xn--zzzzzz--/"),
    ],
)
def test_a_url_that_is_none_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ValidationError) as raised:
        hook(url=url)
    assert "pw" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/hook?token=t", "https://a.example"),
        ("http://a.example:8080/x", "http://a.example:8080"),
        ("http://[::1]:80/x", "http://[::1]:80"),
    ],
)
def test_only_the_origin_of_a_url_is_shown(url: str, shown: str) -> None:
    found = hook(url=url)
    assert found.origin == shown
    assert "token" not in repr(found)
    assert "whsec_" not in repr(found)


@pytest.mark.parametrize("text", ["", "whsec_", "whsec_AAAA", f"{SECRET}!", SECRET.removeprefix("whsec_"), "whsec_ä"])
def test_a_key_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="24 to 64"):
        key_of(text)
    with pytest.raises(ValidationError) as raised:
        hook(secret=text)
    assert "AAAA" not in str(raised.value)


def test_keys_come_from_the_settings_or_a_file_that_is_read_anew(tmp_path: Path) -> None:
    assert hook().keys() == (KEY,)
    assert hook(secret=[SECRET, SECOND]).keys() == (KEY, OTHER)
    assert hook(secret=SecretStr(SECOND)).keys() == (OTHER,)
    file = tmp_path / "keys"
    file.write_text(f"{SECRET}\n")
    found = hook(secret=(), secret_file=str(file))
    assert found.keys() == (KEY,)
    file.write_text(f"{SECOND}\n{SECRET}\n")
    assert found.keys() == (OTHER, KEY)
    for text in ("", "hush", f"{SECRET}\n" * 5):
        file.write_text(text)
        with pytest.raises(ConfigInvalid) as raised:
            found.keys()
        assert "hush" not in str(raised.value)
    file.unlink()
    with pytest.raises(ConfigInvalid, match="No such file"):
        found.keys()


def test_a_server_without_the_secret_file_names_the_webhook(tmp_path: Path) -> None:
    webhooks = {"ops": {"url": "https://ops.example", "secret_file": str(tmp_path)}}
    with pytest.raises(ConfigInvalid, match=r"WEBHOOKS\.ops\.secret_file: .*Is a directory"):
        require_keys(load_settings(webhooks=webhooks))


def test_one_of_both_is_needed() -> None:
    for changes in ({"secret": ()}, {"secret_file": "x"}):
        with pytest.raises(ValidationError, match="either secret or secret_file"):
            hook(**changes)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"types": ["table.nope"]}, "types of events are table.registered"),
        ({"max_tries": 0}, "greater than or equal to 1"),
        ({"max_age": 0}, "greater than 0"),
        ({"headers": {}}, "not permitted"),
    ],
)
def test_other_wrong_settings_say_what_is_needed(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        hook(**changes)


def test_names_and_number_are_bounded() -> None:
    one = {"url": "https://a", "secret": SECRET}
    assert len(load_settings(webhooks={f"w{number}": one for number in range(MAX_WEBHOOKS)}).webhooks) == MAX_WEBHOOKS
    for webhooks in ({f"w{number}": one for number in range(MAX_WEBHOOKS + 1)}, {"A b": one}, {"": one}):
        with pytest.raises(ConfigInvalid, match="webhook"):
            load_settings(webhooks=webhooks)


def test_they_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_WEBHOOKS", f'{{"lake": {{"url": "https://a", "secret": "{SECRET}"}}}}')
    assert load_settings().webhooks["lake"].keys() == (KEY,)
    monkeypatch.setenv("LAKEMUSTER_WEBHOOKS", '{"lake": {"url": "https://a", "secret": "hush"}}')
    with pytest.raises(ConfigInvalid) as raised:
        load_settings()
    assert "hush" not in str(raised.value)
