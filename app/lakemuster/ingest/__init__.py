"""The write path: keep the index up to date with the tables that it describes.

Requests call ``refresh.Refresher``. It determines how fresh a table is, refreshes it if needed, and limits how long a
request waits. Concurrent requests share one look (``shared_looks``), and one run of any other storage work
(``flights``).

``table_refresh.TableRefresher`` refreshes one table, under its lease, in three steps:

1. **look** (``look``): detect a new state. Find the table's pointer (``pointers``) and compare its token with that of
   the last look. If they are equal, record only the time of the look; otherwise load the metadata (``load``).
2. **index** (``index``): read the new manifests. Fetch manifest lists and the manifests that have no segment yet,
   decode them in worker processes (``engine``, ``decode``, ``work``), and put their segments into the segment store.
   Queries do not see these segments yet.
3. **publish** (``publish``): make the new state visible. The new metadata and the snapshots that its refs name become
   visible in one SQL transaction; snapshots that cannot be read are quarantined with the reason.

``side_by_side`` refreshes many tables concurrently, and ``first_refreshes`` small new ones in shared transactions.
Spark makes the segments that are ``missing`` for many tables beforehand: the refreshes then only publish them.

Background jobs (``lakemuster.jobs``) call the same code: ``retrying`` retries quarantined snapshots, ``watching``
refreshes tables. ``healing`` and ``verification`` repair segments, ``register`` and ``discover`` add tables.
"""
