"""Orphan files: objects below a location that no registered table refers to. Nothing is removed.

* ``questions``    the parameters of a search, and its report
* ``listings``     the objects below a location, now; ``inventories`` as an S3 inventory has them
* ``spools``       what is listed, in a file of its own until the references are known
* ``known_files``  the references as keys on disk
* ``searches``     the search: first the listing, then the references
"""
