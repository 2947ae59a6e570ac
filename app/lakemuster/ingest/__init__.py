"""The write path: keep the index up to date with the tables that it describes.

Requests call ``refresh.Refresher``: it says how fresh a table is, refreshes it if needed, and limits how long a request
waits. Concurrent requests share one look (``shared_looks``), and one run of any other work on storage (``flights``).

``table_refresh.TableRefresher`` refreshes one table, under its lease, in three steps:

1. **look** (``look``): is there a new state? Find the table's pointer (``pointers``), and compare its token with that
   of the last look. If they are equal, only the time of the look is recorded. Otherwise load the metadata (``load``).
2. **index** (``index``): read what is new. Fetch manifest lists and the manifests that have no segment yet, decode them
   in worker processes (``engine``, ``decode``, ``work``), and put their segments into the segment store.
   Queries see none of this.
3. **publish** (``publish``): write it. The new metadata and the snapshots that its refs name become visible in one SQL
   transaction; what cannot be read is quarantined with the reason.

``side_by_side`` refreshes many tables at a time, and ``first_refreshes`` small new ones in common transactions. Spark
makes what is ``missing`` of many tables beforehand: their refreshes then find the segments and publish them.

Two background threads call the same code: ``retrying`` retries quarantined snapshots, ``sweeping`` removes segments
that no table needs. ``healing`` and ``verification`` repair segments, ``register`` and ``discover`` add tables.
"""
