"""Examples of the data source in docs/tutorials/spark.md: scripts that run on the demo lake.

Each script receives ``spark``, with the data source registered, and ``uri``.
"""

from __future__ import annotations

LOOKUP = """
orders = spark.read.format("lakemuster").option("uri", uri).load("shop.orders")
wanted = [100004, 104048, 108014]
for row in orders.where(orders.id.isin(wanted)).select("id", "day", "status", "amount").orderBy("id").collect():
    print(row.id, row.day, row.status, row.amount)
"""

STOCK = """
stock = spark.read.format("lakemuster").option("uri", uri).load("shop.stock")
stock.groupBy("warehouse").agg({"quantity": "sum", "sku": "count"}).orderBy("warehouse").show()
"""

SMALL_FILES = """
import lakemuster.spark
from pyspark.sql.functions import col, count, count_if, sum

lake = [
    lakemuster.spark.metadata(spark, uri, "files", namespace=namespace).where("content = 'data'")
    for namespace in ("shop", "web")
]
counted = [count("*").alias("files"), count_if(col("file_size_in_bytes") < 4000).alias("small")]
report = lake[0].unionByName(lake[1]).groupBy("table").agg(*counted, sum("file_size_in_bytes").alias("bytes"))
report.orderBy("table").show()
"""

FIGURES = """
import lakemuster.spark

stats = lakemuster.spark.metadata(spark, uri, "stats", namespace="web")
stats.select("table", "totals.data_files", "small_files.files").orderBy("table").show()
"""

STREAM = """
clicks = spark.readStream.format("lakemuster").option("uri", uri).option("start_snapshot_id", "5").load("web.clicks")
query = clicks.writeStream.format("memory").queryName("new_clicks").start()
query.processAllAvailable()
spark.sql("SELECT dt, count(*) AS clicks FROM new_clicks GROUP BY dt ORDER BY dt").show()
query.stop()
"""
