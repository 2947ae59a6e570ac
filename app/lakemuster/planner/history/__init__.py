"""A table's history, from the index: what commits added and removed, and what an expiry of snapshots would remove.

``rules`` are the rules of a table format; ``changes`` counts the files of a commit, ``figures`` those of a snapshot.
``references`` defines the list of all files that snapshots name, and ``expiry`` the arguments, decisions and list of
files of an expiry. The formats compute both.
"""
