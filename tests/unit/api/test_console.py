"""The console's page and files: caching and browser security headers."""

from __future__ import annotations

import gzip
import re

import pytest
from fastapi.testclient import TestClient

from lakemuster.console.assets import load

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_the_page_may_load_scripts_and_styles_of_this_server_only(client: TestClient) -> None:
    answer = client.get("/", headers=HTML)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_page_has_nothing_inline_and_only_relative_addresses(client: TestClient) -> None:
    text = client.get("/", headers=HTML).text
    assert re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL) == [""]
    assert "<style" not in text
    assert not re.search(r"\s(on\w+|style)=", text)
    addresses = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(addresses) > 10
    assert not [address for address in addresses if address.startswith("/") or "//" in address]


def test_the_page_is_asked_for_again_and_has_a_strong_tag(client: TestClient) -> None:
    first = client.get("/", headers=HTML)
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    assert tag.startswith('"')
    again = client.get("/", headers={**HTML, "If-None-Match": f'"other", {tag}'})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/", headers={**HTML, "If-None-Match": '"other"'}).status_code == 200


def test_every_module_is_preloaded_and_every_import_is_a_file(client: TestClient) -> None:
    text = client.get("/", headers=HTML).text
    preloaded = re.findall(r'<link rel="modulepreload" href="assets/[0-9a-f]+/([^"]+)">', text)
    modules = {name for name in load().files if name.endswith(".js")}
    assert set(preloaded) == modules
    for name in modules:
        source = load().files[name].content.decode()
        folder = "vendor/" if name.startswith("vendor/") else ""
        for path in re.findall(r"""(?:\bfrom|\bimport)\s*["']([^"']+)["']""", source):
            assert path.startswith("./"), (name, path)
            assert folder + path.removeprefix("./") in modules


@pytest.mark.parametrize("name", ["main.js", "console.css", "icon.svg", "vendor/preact.js"])
def test_a_file_may_be_cached_for_ever(client: TestClient, name: str) -> None:
    path = f"/assets/{load().digest}/{name}"
    packed = client.get(path, headers={"Accept-Encoding": "gzip"})
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    assert packed.headers["cache-control"] == plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.content == plain.content == gzip.decompress(load().files[name].compressed)
    assert packed.headers["vary"] == "Accept-Encoding"
    assert client.get(path, headers={"Accept-Encoding": "gzip;q=0"}).headers.get("content-encoding") is None


@pytest.mark.parametrize(
    "path", ["{digest}/none.js", "0000000000000000/main.js", "{digest}/index.html", "{digest}/vendor/vendor.json",
             "{digest}/../assets.py", "{digest}/vendor/%2e%2e/main.js"],
)  # fmt: skip
def test_another_path_is_missing_and_not_cached(client: TestClient, path: str) -> None:
    answer = client.get("/assets/" + path.format(digest=load().digest))
    assert answer.status_code == 404
    assert "immutable" not in answer.headers["cache-control"]


def test_a_program_that_asks_for_json_is_led_to_the_documentation(client: TestClient) -> None:
    answer = client.get("/", headers={"Accept": "application/json"}, follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == "docs"


def test_page_and_files_need_no_caller_and_data_does(with_tokens: TestClient) -> None:
    assert with_tokens.get("/", headers=HTML).status_code == 200
    assert with_tokens.get(f"/assets/{load().digest}/main.js").status_code == 200
    assert with_tokens.get("/api/v1/tables").status_code == 401
