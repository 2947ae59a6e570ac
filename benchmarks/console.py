"""The console in Chromium on large tables: ``python -m benchmarks.console URI --million TABLE --partitions TABLE``.

Measures first paint; the time from a filter to its funnel, and its parts: the pause for more typing, the wait for the
server, and the page's CPU time; the CPU time of the longest task while the treemap's partitions load, and of the
scripts of a frame while it zooms. The server must have the indexed tables (``python -m benchmarks.generate``). Needs
Playwright, and a Chromium that ``scripts/chromium.py`` finds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SIZE = ViewportSize(width=1440, height=900)
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
FILTERS = [f"ts >= TIMESTAMP '2023-{month:02}-01 00:00:00+00:00' AND price > {month}" for month in range(2, 9)]
# The time from the input to the first frame after the result has changed.
FUNNEL = """text => new Promise(resolve => {
  const line = document.querySelector('.funnel');
  const start = performance.now();
  const seen = new MutationObserver(() => {
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  });
  seen.observe(line, {subtree: true, childList: true, characterData: true, attributes: true});
  const area = document.querySelector('#filter');
  area.value = text;
  area.dispatchEvent(new Event('input', {bubbles: true}));
})"""
# The start of the requests for a funnel, and the end of both, since a time.
ASKED = """since => performance.getEntriesByType('resource')
  .filter(one => one.startTime >= since && /[/](explain|plan)$/.test(one.name)).slice(0, 2)
  .map(one => [one.startTime - since, one.responseEnd - since])"""
CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline"]
SCRIPT = {"FunctionCall", "FireAnimationFrame", "EvaluateScript", "TimerFire", "RunMicrotasks"}


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.console", description=__doc__)
    parser.add_argument("uri")
    parser.add_argument("--million", required=True, help="a table of many files")
    parser.add_argument("--partitions", required=True, help="a table of many partitions")
    given = parser.parse_args()
    command = [sys.executable, "-I", str(ROOT / "scripts" / "chromium.py")]
    path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        paints = [_first_paint(browser, given.uri) for _ in range(7)]
        _print("first paint, nothing cached", paints)
        funnels = _funnels(browser, f"{given.uri}/#/tables/{given.million}/why")
        for place, part in enumerate(("filter to funnel", "before it is asked", "answers", "CPU time of the page")):
            _print(f"{given.million}: {part}", [funnel[place] for funnel in funnels])
        page = browser.new_page(viewport=SIZE)
        page.goto(f"{given.uri}/#/events")
        browser.start_tracing(page=page, categories=CATEGORIES)
        page.goto(f"{given.uri}/#/tables/{given.partitions}/partitions")
        canvas = page.locator(".treemap canvas[data-painted]")
        canvas.wait_for(timeout=120_000)
        _print("longest task of loading partitions", [_longest(browser, {"RunTask"})])
        sys.stdout.write(f"{given.partitions}: {canvas.get_attribute('data-painted')} tiles\n")
        zooms = [[_zoom(browser, page, back=back) for back in (False, True)] for _ in range(3)]
        _print("longest script of a frame, zooming in", [one for one, _ in zooms])
        _print("longest script of a frame, zooming out", [other for _, other in zooms])
        browser.close()


def _print(what: str, milliseconds: list[float]) -> None:
    each = ", ".join(f"{one:.0f}" for one in milliseconds)
    sys.stdout.write(f"{what}: median {statistics.median(milliseconds):.0f} ms ({each})\n")


def _first_paint(browser: Browser, uri: str) -> float:
    page = browser.new_page(viewport=SIZE)
    page.goto(f"{uri}/#/")
    page.locator("a.row").first.wait_for()
    found = float(page.evaluate(PAINT))
    page.close()
    return found


def _funnels(browser: Browser, address: str) -> list[tuple[float, float, float, float]]:
    """Return for each filter: milliseconds to its funnel, to its requests, until the last response, and CPU time."""
    page = browser.new_page(viewport=SIZE)
    page.goto(address)
    page.locator(".funnel").wait_for(timeout=120_000)
    page.locator(".bounds svg").wait_for(timeout=120_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def cpu() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    found = []
    for text in FILTERS:
        since, before = page.evaluate("performance.now()"), cpu()
        shown = float(page.evaluate(FUNNEL, text))
        used, asked = cpu() - before, page.evaluate(ASKED, since)
        begun = min(start for start, _ in asked)
        found.append((shown, begun, max(end for _, end in asked) - begun, used))
        page.locator("#content [aria-busy=true]").wait_for(state="detached")
        page.locator(".bounds svg").wait_for()
    page.close()
    return found


def _zoom(browser: Browser, page: Page, *, back: bool) -> float:
    """Zoom in or back; return the CPU time of the longest script in the browser's trace, in milliseconds."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    if back:
        page.locator(".trail button").first.click()
    else:
        page.locator(".treemap canvas").click(position={"x": 200, "y": 200})
    page.wait_for_timeout(1500)
    return _longest(browser, SCRIPT)


def _longest(browser: Browser, names: set[str]) -> float:
    """End the trace, and return the CPU time of its longest event with one of these names, in milliseconds."""
    trace: dict[str, Any] = json.loads(browser.stop_tracing())
    # Prefer the thread's CPU time, since the machine may be busy.
    events = [event for event in trace["traceEvents"] if event["name"] in names and "dur" in event]
    return max(float(event.get("tdur", event["dur"])) / 1000 for event in events)


if __name__ == "__main__":
    main()
