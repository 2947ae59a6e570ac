"""Selection of tests for ``make quick``, ``make test`` and ``make full``; in a full run, a skip is a failure.

``--quick`` deselects ``slow`` tests; ``full`` tests run only with ``--full``. Files listed in ``SLOW`` are slow, as are
tests and files with the marker.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

SLOW = (
    "/oracle/",
    "tests/unit/api/identity/test_hidden_tables.py",
    "tests/unit/benchmarks/test_capacity.py",
    "tests/unit/benchmarks/test_generate.py",  # the environment of pypaimon
    "tests/unit/cli/test_completion.py",
    "tests/unit/cli/test_connections.py",
    "tests/unit/formats/paimon/test_bucketing.py",
    "tests/unit/kernels/test_building.py",
    "tests/rules/test_docs.py",  # the environment of mkdocs
    "tests/rules/test_environments.py",  # other clients' environments
    "tests/rules/test_imports.py",
    "tests/rules/test_package.py",
    "tests/rules/test_selection.py",
    "tests/unit/planner/paimon/test_packing_java.py",  # a JVM
    "tests/unit/planner/paimon/test_vectors.py",
    "tests/unit/planner/statistics/test_iceberg_figures.py",
    "tests/unit/planner/statistics/test_paimon_figures.py",
    "tests/unit/planner/test_counted_work.py",
    "tests/unit/planner/test_packed.py",
)
"""Parts of paths of files that take more than ten seconds of CPU time, or need a separate environment."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--quick`` and ``--full``."""
    group = parser.getgroup("selection")
    group.addoption("--quick", action="store_true", help="leave out what is slow")
    group.addoption("--full", action="store_true", help="run the long tests too; a skip fails")


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "slow: takes seconds; left out by --quick")
    config.addinivalue_line("markers", "full: takes minutes or more; runs with --full alone")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect tests that the options exclude."""
    unwanted = [item for item in items if _is_unwanted(item, config.getoption("quick"), config.getoption("full"))]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        left_out = set(unwanted)
        items[:] = [item for item in items if item not in left_out]


def _is_unwanted(item: pytest.Item, quick: bool, full: bool) -> bool:
    if item.get_closest_marker("full"):
        return not full
    slow = item.get_closest_marker("slow") or any(part in item.nodeid for part in SLOW)
    return quick and bool(slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped test of a full run."""
    report = yield
    if not hasattr(report, "wasxfail"):
        _refuse_skip(item.config, report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a skipped module of a full run."""
    report = yield
    _refuse_skip(collector.config, report)
    return report


def _refuse_skip(config: pytest.Config, report: Any) -> None:
    if report.skipped and config.getoption("full"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"a full run skips nothing: {reason}"
