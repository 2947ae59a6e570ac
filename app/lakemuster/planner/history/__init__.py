"""A table's history, from the index: what commits added and removed, and what an expiry of snapshots would remove.

``rules`` is what a table format tells it; ``changes`` counts a commit's files, ``figures`` those of a snapshot.
``expired_files`` finds the files that no snapshot refers to any more.
"""
