"""Messages for invalid settings and requests."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lakemuster.config import load_settings
from lakemuster.errors import ConfigInvalid
from lakemuster.validation_messages import INT64, plain_message


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without settings."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "PROT: unknown setting (did you mean PORT?)"),
        ("zzz = 1", "ZZZ: unknown setting"),
        (
            '[tables."shop.Orders"]\npartition_ready = [{ quite = "2h" }]',
            'TABLES."shop.Orders".partition_ready.0.quite: unknown setting (did you mean quiet?)',
        ),
        ("[tables.Orders]\nhistory = 'x'", "TABLES.Orders.history: must be an integer"),
        ("[tables.t]\nhealth = { small_file = 1 }", "TABLES.t.health.small_file: unknown setting (did you mean"),
        (
            "[webhooks.Ops]\nurl = 'https://x'\nmaxtries = 1",
            "WEBHOOKS.Ops.maxtries: unknown setting (did you mean max_",
        ),
        ("workers = 'many'", "WORKERS: must be an integer"),
        ("workers = 0", "WORKERS: must be greater than or equal to 1"),
        ("cache_bytes = '2GiB'", "CACHE_BYTES: must be a number of bytes"),
        ("decoder_memory = '2GiB'", "DECODER_MEMORY: must be a number of bytes"),
        ("audit_filters = 'perhaps'", "AUDIT_FILTERS: must be true or false"),
        ("database_url = 'mysql://x'", "DATABASE_URL: must begin with sqlite:///"),
    ],
)
def test_a_wrong_setting_is_named_as_it_was_spelt(folder: Path, text: str, said: str) -> None:
    (folder / "lakemuster.toml").write_text(f"{text}\n", "utf-8")
    with pytest.raises(ConfigInvalid) as refused:
        load_settings()
    assert f"invalid setting: {said}" in refused.value.message


def test_a_wrong_variable_has_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMUSTER_TABELS", "{}")
    with pytest.raises(ConfigInvalid, match=r"LAKEMUSTER_TABELS \(did you mean LAKEMUSTER_TABLES\?\)$"):
        load_settings()


class Sample(BaseModel):
    """A model whose fields have one constraint each."""

    model_config = ConfigDict(extra="forbid")

    number: float = 0
    words: tuple[str, ...] = Field((), max_length=1)
    name: str = Field("x", min_length=1)
    snapshot: str = Field("1", pattern=INT64)
    inner: dict[str, int] = {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"number": "x"}, "must be a number"),
        ({"words": "x"}, "must be a list"),
        ({"words": ["a", "b"]}, "must have at most 1 item, not 2"),
        ({"name": ""}, "must have at least 1 character"),
        ({"name": 1}, "must be a string"),
        ({"snapshot": "latest"}, "must be a 64-bit integer"),
        ({"inner": 1}, "must be an object"),
        ({"inner": {"a": 1.5}}, "must be an integer"),
    ],
)
def test_a_message_names_no_type_of_python(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Sample.model_validate(given)
    [problem] = refused.value.errors()
    assert plain_message(problem) == said
