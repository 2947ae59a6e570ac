"""Register the table formats, and the rules of each for every layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakemuster.catalog.catalog_rules import CATALOG_RULES, CatalogRules
from lakemuster.catalog.iceberg_rules import ICEBERG_RULES
from lakemuster.catalog.paimon_rules import PAIMON_RULES
from lakemuster.formats import registry
from lakemuster.formats.iceberg.table_format import IcebergFormat
from lakemuster.formats.paimon.table_format import PaimonFormat
from lakemuster.formats.protocol import FormatPort
from lakemuster.planner.aggregates.plain_rows import PLAIN_ROWS
from lakemuster.planner.aggregates.row_rules import ROW_RULES, RowRules
from lakemuster.planner.health.rules import HEALTH_RULES, PLAIN_HEALTH, HealthFormat
from lakemuster.planner.history.rules import HISTORY_RULES, PLAIN_HISTORY, HistoryRules
from lakemuster.planner.iceberg.details import ICEBERG_PLANS
from lakemuster.planner.iceberg.health import ICEBERG_HEALTH
from lakemuster.planner.iceberg.history import ICEBERG_HISTORY
from lakemuster.planner.iceberg.lists import ICEBERG_LISTS
from lakemuster.planner.iceberg.table_statistics import ICEBERG_STATISTICS
from lakemuster.planner.list_rules import LIST_RULES, ListRules
from lakemuster.planner.paimon.details import PAIMON_PLANS
from lakemuster.planner.paimon.health import PAIMON_HEALTH
from lakemuster.planner.paimon.history import PAIMON_HISTORY
from lakemuster.planner.paimon.lists import PAIMON_LISTS
from lakemuster.planner.paimon.reading import PaimonReading
from lakemuster.planner.paimon.rows_given import PAIMON_ROWS_GIVEN
from lakemuster.planner.paimon.table_statistics import PAIMON_STATISTICS
from lakemuster.planner.scan.plan_rules import PLAIN_PLANS, PLAN_RULES, PlanRules
from lakemuster.planner.scan.scan_rules import SCAN_RULES, ScanRules, plain_rules
from lakemuster.planner.statistics.rules import PLAIN_STATISTICS, STATISTICS_RULES, StatisticsRules
from lakemuster.planner.view import View


@dataclass(frozen=True, slots=True)
class TableFormat:
    """The rules of one format for each layer.

    Attributes:
        metadata: how its tables are found, and their metadata decoded.
        catalog: its snapshots' ancestors, increments, system tables.
        lists: the rows of its lists.
        scan_rules: returns the rules of a scan: which entries it reads, and what may drop one.
        plans: how the files of a plan are read.
        rows: how many rows each file contributes to the table.
        statistics: which file is small, how files are merged.
        history: what commits changed, and what an expiry would remove.
        health: how the health of its files and metadata is measured, and the commands that improve it.
    """

    metadata: FormatPort
    catalog: CatalogRules
    lists: ListRules
    scan_rules: Callable[[View], ScanRules] = plain_rules
    plans: PlanRules = PLAIN_PLANS
    rows: RowRules = PLAIN_ROWS
    statistics: StatisticsRules = PLAIN_STATISTICS
    history: HistoryRules = PLAIN_HISTORY
    health: HealthFormat = PLAIN_HEALTH


def register(table_format: TableFormat) -> None:
    """Register a format with every layer.

    Raises:
        ValueError: another format has its name.
    """
    registry.register(table_format.metadata)
    name = table_format.metadata.name
    CATALOG_RULES.register(name, table_format.catalog)
    LIST_RULES.register(name, table_format.lists)
    SCAN_RULES.register(name, table_format.scan_rules)
    PLAN_RULES.register(name, table_format.plans)
    ROW_RULES.register(name, table_format.rows)
    STATISTICS_RULES.register(name, table_format.statistics)
    HISTORY_RULES.register(name, table_format.history)
    HEALTH_RULES.register(name, table_format.health)


register(
    TableFormat(
        IcebergFormat(),
        ICEBERG_RULES,
        ICEBERG_LISTS,
        plans=ICEBERG_PLANS,
        statistics=ICEBERG_STATISTICS,
        history=ICEBERG_HISTORY,
        health=ICEBERG_HEALTH,
    )
)
register(
    TableFormat(
        PaimonFormat(),
        PAIMON_RULES,
        PAIMON_LISTS,
        PaimonReading.of,
        PAIMON_PLANS,
        PAIMON_ROWS_GIVEN,
        PAIMON_STATISTICS,
        PAIMON_HISTORY,
        PAIMON_HEALTH,
    )
)
