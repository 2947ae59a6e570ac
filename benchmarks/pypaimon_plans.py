"""Measure pypaimon's plans of some filters, in pypaimon's environment, and print one JSON object.

``python pypaimon_plans.py WAREHOUSE TABLE NATIVE REPEAT FILTERS``: FILTERS is a JSON object of filters by name, each
null or a list of equal [column, value] pairs. A plan starts with a loaded table, and ends with the names of the
splits' files, which are in the output.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    """Plan, and print the times and files."""
    from pypaimon import CatalogFactory  # noqa: PLC0415 - installed in another environment

    warehouse, name, native, repeat, filters = sys.argv[1:]
    table = CatalogFactory.create({"warehouse": warehouse}).get_table(name)
    table = table.copy({"scan.native-plan.enabled": native})
    answers: dict[str, Any] = {}
    for title, equal in json.loads(filters).items():
        taken: list[float] = []
        files: list[str] = []
        for _ in range(int(repeat)):
            started = time.perf_counter()
            builder = table.new_read_builder()
            if equal is not None:
                predicates = builder.new_predicate_builder()
                leaves = [predicates.equal(column, value) for column, value in equal]
                builder = builder.with_filter(predicates.and_predicates(leaves))
            splits = builder.new_scan().plan().splits()
            files = [file.file_name for split in splits for file in split.files]
            taken.append((time.perf_counter() - started) * 1000)
        answers[title] = {"files": files, "ms": sorted(taken)[len(taken) // 2]}
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
