"""The tokens file is reloaded when it changes; an invalid file is ignored."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from lakemuster.api.identity.token_file import LOOK_SECONDS, TokenFile
from lakemuster.api.identity.tokens import namespace_entry, token_entry
from lakemuster.errors import ConfigInvalid


class File:
    """A tokens file and a clock."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, 0.0
        self.write(token_entry("one", "1"))
        self.tokens = TokenFile(str(path), lambda: self.now)

    def write(self, text: str, mtime: float = 1_000_000.0) -> None:
        self.path.write_text(text, "utf-8")
        os.utime(self.path, (mtime, mtime))

    def knows(self, token: str) -> bool:
        return self.tokens.known(token) is not None


@pytest.fixture
def file(tmp_path: Path) -> File:
    return File(tmp_path / "tokens.toml")


def test_a_changed_file_is_read_again_within_a_second(file: File) -> None:
    file.write(token_entry("two", "2"), 1_000_001.0)
    assert (file.knows("1"), file.knows("2")) == (True, False)
    file.now += LOOK_SECONDS
    assert (file.knows("1"), file.knows("2")) == (False, True)


def test_it_is_looked_at_once_a_second_and_read_when_it_changed(file: File, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[object] = []
    reads: list[object] = []
    stat, read = os.stat, Path.read_bytes

    def counted_stat(path: str) -> os.stat_result:
        looks.append(path)
        return stat(path)

    def counted_read(path: Path) -> bytes:
        reads.append(path)
        return read(path)

    monkeypatch.setattr("lakemuster.api.identity.token_file.os.stat", counted_stat)
    monkeypatch.setattr(Path, "read_bytes", counted_read)
    for _ in range(100):
        file.now += LOOK_SECONDS / 10
        assert file.knows("1")
    assert 9 <= len(looks) <= 10
    assert reads == []


def test_a_file_of_the_same_size_and_time_is_read_when_it_was_written_just_now(file: File) -> None:
    import time

    for secret in "1234":
        file.write(token_entry("one", secret), time.time())
        file.now += LOOK_SECONDS
        assert file.knows(secret)


def test_a_hangup_has_it_read_at_once(file: File) -> None:
    file.write(token_entry("one", "2"))
    file.tokens.reload()
    assert (file.knows("1"), file.knows("2")) == (False, True)


@pytest.mark.parametrize("text", [None, "not toml [", "[[token]]\nname = 'a'"])
def test_a_wrong_file_changes_nothing_and_is_said_once(
    file: File, text: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    if text is None:
        file.path.unlink()
    else:
        file.write(text, 1_000_002.0)
    for _ in range(5):
        file.now += LOOK_SECONDS
        assert file.knows("1")
        assert not file.tokens.is_current
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1
    file.write(token_entry("two", "2"), 1_000_003.0)
    file.now += LOOK_SECONDS
    assert file.knows("2")
    assert file.tokens.is_current


def test_a_wrong_file_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid):
        TokenFile(str(tmp_path / "none.toml"))
    assert TokenFile.of(None) is None


def test_callers_of_another_file_are_others(file: File) -> None:
    before = file.tokens.known("1")
    file.tokens.reload()
    assert file.tokens.known("1") == before, "the file's content is the same"
    file.write(token_entry("one", "1") + namespace_entry("shop", ["s3://lake/shop"]), 1_000_004.0)
    file.now += LOOK_SECONDS
    after = file.tokens.known("1")
    assert before is not None
    assert after is not None
    assert (after.name, after.grants) == (before.name, before.grants)
    assert after != before, "responses cached for the old rights must not match"
    assert file.tokens.locations("shop.orders") == ("s3://lake/shop",)
    assert file.tokens.locations("web.clicks") is None
