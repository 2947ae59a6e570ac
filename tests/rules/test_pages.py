"""The README and docs/ name existing commands and settings only, and document all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from lakemuster.cli import app
from lakemuster.config import CLIENT_VARIABLES, PREFIX, Settings, load_settings
from lakemuster.errors import ConfigInvalid
from scripts import picture
from tests.openapi_yaml import read
from tests.pages import blocks, code, pages, text
from tests.tree import PACKAGE, ROOT

README = ROOT / "README.md"
MOST_LINES = 150

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def calls() -> list[list[str]]:
    """Return the words of every ``lakemuster …`` line; a prefix such as ``uvx`` or ``docker run`` is allowed."""
    lines = re.findall(r"(?:^|[\s(])(?<!from )lakemuster ((?:--?[a-z]|[a-z])[^|`\n#]*)", code(), re.MULTILINE)
    return [line.split() for line in lines]


def test_it_begins_with_the_two_commands():
    start = README.read_text("utf-8")[:1500]
    assert 0 < start.index("make demo") < start.index("make test")


def test_the_readme_is_short():
    assert README.read_text("utf-8").count("\n") <= MOST_LINES


def test_the_picture_is_what_the_script_draws():
    assert picture.FILE.read_text("utf-8") == picture.svg()
    assert all(picture.FILE.name in page.read_text("utf-8") for page in (README, ROOT / "docs/index.md"))


def test_nothing_says_to_install_a_package_that_no_index_has():
    texts = {path: path.read_text("utf-8") for path in [*pages(), *PACKAGE.rglob("*.py")]}
    by_name = re.compile(r"(?:pip|uv) install [^\n]*?(?<![\w/.-])lakemuster(?![\w-])|uvx [^\n]*lakemuster")
    assert by_name.search("pip install 'lakemuster[server]'")
    assert by_name.search("pip install -U lakemuster")
    assert not by_name.search("pip install 'dist/lakemuster-0.1.0-py3-none-any.whl[server]'")
    assert not [path for path, text in texts.items() if by_name.search(text)]


def test_every_make_target_it_names_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", code())) <= targets


def test_every_setting_is_named_and_every_named_setting_exists():
    known = {name.upper() for name in Settings.model_fields}
    named = set(re.findall(rf"\b{PREFIX}([A-Z_]+)\b", text()))
    assert named <= known | {name.removeprefix(PREFIX) for name in CLIENT_VARIABLES}
    missing = {name for name in known if not re.search(rf"\b(?:{PREFIX})?{name}\b", text())}
    assert not missing


@pytest.mark.parametrize("page", [page for page in pages() if blocks(page, "toml")], ids=lambda page: page.name)
def test_every_example_of_settings_is_accepted(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "toml"):
        Path("lakemuster.toml").write_text(block, "utf-8")
        load_settings()
    Path("lakemuster.toml").write_text("tokenz = 1\n" + block, "utf-8")
    with pytest.raises(ConfigInvalid, match="TOKENZ"):
        load_settings()


def test_every_command_is_named_and_every_named_command_exists():
    named = {words[0] for words in calls() if re.fullmatch(r"[a-z]+(-[a-z]+)*", words[0])}
    assert named <= set(COMMANDS)
    assert set(COMMANDS) <= named | set(re.findall(r"`([a-z]+)`", text()))


def test_every_option_in_a_call_is_one_of_its_command():
    unknown = []
    for name, *words in calls():
        if name not in COMMANDS:
            continue
        options = {option for parameter in COMMANDS[name].params for option in parameter.opts} | {"--help", "--debug"}
        unknown += [(name, word) for word in words if word.startswith("--") and word.split("=")[0] not in options]
    assert not unknown


def test_every_address_it_requests_is_in_the_schema():
    paths = read((ROOT / "openapi.yaml").read_text("utf-8"))["paths"]
    shapes = [re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)) for path in paths]
    asked = set(re.findall(r"(/api/v1/[^\s'\"`?)\\]*|/healthz|/readyz|/metrics)", code()))
    assert asked
    assert not {path for path in asked if not any(shape.fullmatch(path.rstrip("/.,")) for shape in shapes)}
