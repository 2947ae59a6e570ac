"""Sum a table's rows by a column with PyIceberg, by plans of the server: ``pyiceberg_report.py``.

PyIceberg asks ``/iceberg`` for the plan, and reads the files itself. Needs ``pyiceberg[pyarrow]`` 0.11 or later, and
nothing of Lakemuster.
"""

from __future__ import annotations

import os

from pyiceberg.catalog import load_catalog


def main() -> None:
    """Print the files of the plan, and the orders above 90 by status."""
    uri = os.environ.get("LAKEMUSTER_URI", "http://127.0.0.1:8181")
    token = os.environ.get("LAKEMUSTER_TOKEN")
    catalog = load_catalog("lake", type="rest", uri=f"{uri}/iceberg", **({} if token is None else {"token": token}))
    scan = catalog.load_table("shop.orders").scan(
        row_filter="day >= '2024-05-09' and amount > 90", selected_fields=("status", "amount")
    )
    for task in scan.plan_files():
        print(task.file.file_path)
    rows = scan.to_arrow()
    totals = rows.group_by("status", use_threads=False).aggregate([("amount", "sum"), ("amount", "count")])
    for row in totals.sort_by("status").to_pylist():
        print(row["status"], row["amount_sum"], row["amount_count"])


if __name__ == "__main__":
    main()
