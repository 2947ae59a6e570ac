"""Iceberg's rules of statistics.

Source: Iceberg ``TableProperties``; a file below 75 % of the target is one that ``rewrite_data_files`` rewrites
(``SizeBasedFileRewritePlanner``).
"""

from __future__ import annotations

from lakemuster.metadata.integer_text import parse_size
from lakemuster.planner.statistics.rules import StatisticsRules, TargetFileSize
from lakemuster.planner.view import View

TARGET_FILE_SIZE = "write.target-file-size-bytes"
DEFAULT_BYTES = 512 << 20
SMALL_PERCENT = 75


def target(view: View) -> TargetFileSize:
    """Return the table's target; the default where its property is absent, or not a positive number."""
    size = parse_size(view.metadata.properties.get(TARGET_FILE_SIZE, ""))
    if size is not None:
        return TargetFileSize(size, SMALL_PERCENT, TARGET_FILE_SIZE)
    return TargetFileSize(DEFAULT_BYTES, SMALL_PERCENT, f"the default of {TARGET_FILE_SIZE}")


ICEBERG_STATISTICS = StatisticsRules(target)
