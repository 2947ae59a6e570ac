"""A table's history, from the index: what commits added and removed, and what an expiry of snapshots would remove.

``rules`` is what a table format tells it; ``changes`` counts a commit's files, ``figures`` those of a snapshot.
``references`` has the shape of the list of all files that snapshots name. ``expiry`` has the values of an expiry and
the shape of its list of files. The formats fill both.
"""
