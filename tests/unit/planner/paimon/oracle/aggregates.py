"""Check aggregates of Paimon tables against rows, as for Iceberg."""

from __future__ import annotations

from lakemuster.metadata.types import Primitive
from lakemuster.planner.aggregates.answers import answers
from lakemuster.planner.scan.scan_index import scan_index_of
from lakemuster.predicates import TRUE
from tests.unit.planner.oracle import aggregates
from tests.unit.planner.oracle.check import Violation as Wrong
from tests.unit.planner.paimon.oracle.asked import truth
from tests.unit.planner.paimon.oracle.check import READINGS, Case, Violation, bound_of, sizes
from tests.unit.planner.paimon.oracle.held import Lake, files_of
from tests.unit.planner.paimon.oracle.model import read


def check(case: Case, lake: Lake) -> None:
    """Answer every aggregate and compare the answers with the rows.

    Raises:
        Violation: an answer is wrong.
    """
    table, schema = case.table, case.view.schemas[0]
    columns = {one.name: one.field_id for one in schema.fields if isinstance(one.type, Primitive)}
    with sizes(small=case.small):
        bound = TRUE if case.filter is None else bound_of(case, case.filter)
        scan = scan_index_of(lake.services.index, case.view)
        found = answers([scan], lambda _: bound, aggregates.every(columns), nan="any")
        planned = files_of(lake.plan(case.view, filter=case.filter))
    rows = read(table, table.readable)
    matching = [
        [row for row in rows if case.node is None or truth(case.node, row, nan_is_greatest=nan) is True]
        for nan in READINGS
    ]
    for answer in found:
        function, column = answer.aggregate.function, answer.aggregate.column
        aggregates.SEEN[function, answer.interval.exact] += 1
        try:
            if function in ("files", "bytes"):
                sizes_of = [1 if function == "files" else row["file_size_in_bytes"] for row in planned]
                aggregates.compare(answer, [sum(sizes_of)])
                continue
            for some in matching:
                values = some if column is None else [row[columns[column]] for row in some]
                aggregates.compare(answer, aggregates.true_values(function, values, "any"))
        except Wrong as wrong:
            raise Violation(str(wrong)) from wrong
