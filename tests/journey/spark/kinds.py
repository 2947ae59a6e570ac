"""Every kind of Paimon table that is planned, and its name in each reader, for ``test_paimon_kinds.py``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.journey.paimon_java.indexed_tables import KINDS as INDEXED
from tests.journey.paimon_java.read_tables import READ_KINDS
from tests.journey.paimon_java.tables import KINDS, Kind

# fmt: off
JAVA: dict[str, Kind] = {
    name: {**KINDS, **READ_KINDS, **INDEXED}[name]
    for name in (
        "append", "append_parts", "append_odd_parts", "append_new_names", "append_overwritten", "append_buckets",
        "append_vectors", "append_vectors_64", "append_avro", "append_orc",
        "keyed_compacted", "keyed_levels", "keyed_wide", "keyed_parts", "keyed_rescaled", "keyed_thin", "keyed_orc",
        "keyed_sections_above", "keys_of_all_types", "small_files", "dynamic", "postpone",
        "vectors", "vectors_64", "vectors_later", "first_row_later", "changelog_lookup", "changelog_full",
        "over_avro", "over_ignoring", "over_sequenced", "over_descending", "snapshot_ordered", "branched",
        "partial", "partial_groups", "aggregation", "aggregation_all",
        "evolved", "evolved_keyed", "evolved_vectors", "cast", "types_parquet", "types_orc", "types_avro",
        "nested_parquet", "nested_orc", "nested_avro", "nested_evolved", "nested_evolved_orc",
        "tracked", "tracked_vectors", "data_evolution", "indexed_all", "indexed_nan", "indexed_evolved",
    )
}
"""Tables written by Paimon's Java client."""
CONNECTOR = (
    "spark_append", "spark_parts", "spark_vectors", "spark_copied", "spark_changed", "spark_keyed_vectors",
    "spark_first_row", "spark_dynamic", "spark_evolved",
)
"""Tables written by Paimon's connector; the statements are in ``spark_tables.py``."""
# fmt: on

BEYOND_THE_CONNECTOR = {
    "append_new_names": "partition.legacy-name",
    "append_vectors_64": "vectors of 64 bits",
    "vectors_64": "vectors of 64 bits",
    "keyed_thin": "data-file.thin-mode",
    "postpone": "a bucket of -2",
    "data_evolution": "rows that lie in several files",
    "data_evolution_parts": "rows that lie in several files",
    "nested_parquet": "nested columns of newer Parquet files",
    "nested_evolved": "nested columns of newer Parquet files",
    "nested_evolved_orc": "members of nested columns that change",
    "over_descending": "sequence.field.sort-order",
    "aggregation_all": "what some functions make of nulls, -0.0 and NaN",
    "indexed_all": "statistics of some columns only",
    "indexed_nan": "statistics of some columns only",
    "indexed_evolved": "its connector fails now and then while it reads indexes of several files at once",
}
"""Features that Paimon 0.9 does not support in tables of 1.4: these are compared with the rows of Java's client."""


@dataclass(frozen=True)
class Reading:
    """A table, at its current or another state.

    Attributes:
        table: the table's name.
        catalog: a catalog of the connector's Spark session: ``java``, or ``plain``, which the connector wrote to.
        theirs: the suffix of the table's name in the connector's SQL.
        options: options of Lakemuster's data source.
    """

    table: str
    catalog: str
    theirs: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.table, *self.options.values()])

    @property
    def folder(self) -> str:
        """The name of the table's folder, which is also its name in the catalog."""
        return f"kind_{self.table}" if self.catalog == "java" else self.table

    @property
    def relation(self) -> str:
        """The relation that the connector reads."""
        if self.theirs.startswith("$"):
            return f"{self.catalog}.db.`{self.folder}{self.theirs}`"
        return f"{self.catalog}.db.{self.folder} {self.theirs}"


NOW = [*(Reading(name, "java") for name in JAVA), *(Reading(name, "plain") for name in CONNECTOR)]
PAST = [
    Reading("append", "java", "VERSION AS OF 'whole'", {"ref": "whole"}),
    Reading("keyed_levels", "java", "VERSION AS OF 4", {"snapshot_id": "4"}),
    Reading("vectors", "java", "VERSION AS OF 3", {"snapshot_id": "3"}),
    Reading("evolved", "java", "VERSION AS OF 'before'", {"ref": "before"}),
    Reading("evolved", "java", "VERSION AS OF 6", {"snapshot_id": "6"}),
    Reading("evolved_keyed", "java", "VERSION AS OF 2", {"snapshot_id": "2"}),
    Reading("branched", "java", "VERSION AS OF 'early'", {"ref": "early"}),
    Reading("branched", "java", "$branch_side", {"ref": "side"}),
    Reading("spark_evolved", "plain", "VERSION AS OF 'before'", {"ref": "before"}),
    Reading("spark_evolved", "plain", "$branch_side", {"ref": "side"}),
]
READINGS = {str(reading): reading for reading in (*NOW, *PAST)}

CONDITIONS = {
    "value": "value > 2000",
    "region": "region = 'us' OR region IS NULL",
    "part": "part IS NULL OR CAST(part AS string) > '1'",
    "nr": "nr IN (1, 3)",
    "name": "name >= 'c' AND name < 'h'",
    "small": "small BETWEEN 10 AND 90",
    "id": "id >= 15 AND id < 48 AND id <> 20",
}
"""Conditions, by a column that some tables have."""


def condition(types: Mapping[str, object]) -> str:
    """Return the first column of ``CONDITIONS`` that the table has."""
    return next(name for name in CONDITIONS if name in types and (name != "name" or types[name] == "string"))
