"""A page in a browser, with checks that apply to every page."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page

from tests.beside import node_modules_of
from tests.tree import ROOT

WIDE = {"width": 1440, "height": 900}
NARROW = {"width": 1024, "height": 768}
WIDTHS = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
FAILED = "Failed to load resource"
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@cache
def chromium() -> str:
    """Return the path of a Chromium; advice that begins with ``No`` if there is none."""
    found = subprocess.run(
        [sys.executable, "-I", str(ROOT / "scripts" / "chromium.py")], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() if found.returncode == 0 else found.stderr.strip().splitlines()[-1]


@cache
def axe() -> str:
    """Return the source of axe-core."""
    return (node_modules_of(ROOT / "scripts" / "console_packages") / "axe-core" / "axe.min.js").read_text("utf-8")


@dataclass
class Visit:
    """A page of the console.

    Attributes:
        may_fail: parts of URLs whose requests may fail; tests add the requests that they make fail.
        also: other hosts to which the page may send requests.
        problems: errors, warnings, dialogs and requests that a page must not cause.
    """

    uri: str
    context: BrowserContext
    page: Page
    may_fail: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, browser: Browser, uri: str, **options: Any) -> Visit:
        """Return a visit that has opened no page yet."""
        given = {"viewport": WIDE, "locale": "en-US", "timezone_id": "Europe/Berlin", "reduced_motion": "reduce"}
        context = browser.new_context(**{**given, **options})
        visit = cls(uri, context, context.new_page())
        visit.page.set_default_timeout(60_000)
        visit.page.on("console", visit._said)
        visit.page.on("pageerror", lambda error: visit.problems.append(f"error: {error}"))
        visit.page.on("dialog", visit._dialog)
        visit.page.on("request", visit._requested)
        return visit

    def go(self, path: str) -> Visit:
        """Open a path or a fragment of the console."""
        self.page.goto(f"{self.uri}/{path}")
        return self

    @contextmanager
    def unreachable(self, path: str) -> Iterator[None]:
        """Abort requests to a path until the block ends, whatever their query parameters."""
        pattern = re.compile(rf"{re.escape(path)}(\?|$)")
        self.may_fail.append(path)
        self.page.route(pattern, lambda route: route.abort())
        yield
        self.page.unroute(pattern)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        url = message.location["url"]
        if message.text.startswith(FAILED) and any(part in url for part in self.may_fail):
            return
        self.problems.append(f"{message.type}: {message.text} ({url})")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.uri + "/", "data:", *self.also)):
            self.problems.append(f"a request to another host: {request.url}")

    def close(self) -> None:
        """Close the page and its context; what happens meanwhile, without changed responses, is not recorded."""
        if not self.page.is_closed():
            found = list(self.problems)
            self.page.unroute_all(behavior="ignoreErrors")  # errors of handlers would fail the next test
            self.context.close()
            self.problems = found

    def check(self) -> None:
        """Check that the page caused no problems."""
        assert not self.problems, "\n".join(self.problems)

    def violations(self) -> list[str]:
        """Return axe-core's findings, one line for each element; assert that it checked some rules.

        A page that is wider than its window and thus scrolls sideways is also a finding.
        """
        self.page.evaluate(axe())
        found = self.page.evaluate(
            "rules => axe.run({runOnly: {type: 'tag', values: rules}, resultTypes: ['violations']})", AXE_RULES
        )
        assert len(found["passes"]) > 10
        wide, window = self.page.evaluate(WIDTHS)
        return [
            *([f"the page is {wide} pixels wide, and the window {window}"] if wide > window else []),
            *(
                f"{violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
                for violation in found["violations"]
                for node in violation["nodes"]
            ),
        ]


def texts(locator: Locator) -> list[str]:
    """Return the texts of elements, with single spaces."""
    return [" ".join(text.split()) for text in locator.all_inner_texts()]


def whole(number: object) -> str:
    """Return a number as the console shows it."""
    return "–" if number is None else f"{int(str(number)):,}"


def raw_bytes(number: object) -> str | None:
    """Return the tooltip of a size."""
    return "not known" if number is None else f"{int(str(number)):,} bytes"


def some(number: int, word: str) -> str:
    """Return a count with its noun, as the console words it."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
