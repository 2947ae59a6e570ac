"""``make docs`` builds docs/ strictly, without a network, into pages that request nothing from other hosts."""

from __future__ import annotations

import re
import subprocess

import pytest
import yaml

from tests.beside import python_of
from tests.pages import pages
from tests.tree import ROOT

# Run mkdocs in a process without name resolution and connections.
OFFLINE = """
import sys

def refuse(event, _):
    if event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        raise RuntimeError(f"{event}: documentation is built without a network")

sys.addaudithook(refuse)
from mkdocs.__main__ import cli
cli(sys.argv[1:])
"""
# Everything by which a page or a stylesheet loads a resource; ordinary links load nothing.
LOADS = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*?\bsrc=["']?(?:https?:)?//"""
    r"""|<link\b[^>]*?\bhref=["']?(?:https?:)?//"""
    r"""|(?:url\(|@import)\s*["']?(?:https?:)?//"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [python_of("requirements-docs.lock"), "-c", OFFLINE, "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_built(site):
    documents = [page for page in pages() if page.is_relative_to(ROOT / "docs")]
    built = [site / page.relative_to(ROOT / "docs").with_suffix(".html") for page in documents]
    assert len(built) > 15
    assert not [page for page in built if not page.is_file()]


def test_built_pages_request_nothing_from_other_hosts(site):
    assert LOADS.search('<script async src="https://host/x.js">')
    assert LOADS.search("<link rel=stylesheet href='//host/x.css'>")
    assert LOADS.search("src: url(https://host/x.woff)")
    loading = [path for path in site.rglob("*") if path.suffix in {".html", ".css"} and LOADS.search(path.read_text())]
    assert not loading


def test_mkdocs_is_strict():
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["strict"] is True


def test_no_page_is_empty_or_unfinished():
    unfinished = re.compile(r"\b(todo|to do|tbd|fixme|coming soon)\b", re.IGNORECASE)
    assert not [page for page in pages() if len(page.read_text("utf-8")) < 300]
    assert not [page for page in pages() if unfinished.search(page.read_text("utf-8"))]


def test_every_link_of_the_readme_leads_to_a_file():
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "README.md").read_text("utf-8"))
    assert len(targets) > 10
    assert not [target for target in targets if not (ROOT / target).is_file()]


def test_the_readme_links_every_page():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [page for page in pages()[1:] if f"]({page.relative_to(ROOT)})" not in readme]
