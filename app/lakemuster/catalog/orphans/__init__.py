"""Orphan files: objects below a location that no registered table refers to. Nothing is removed.

* ``parameters``   the parameters of a search, and its report
* ``listings``     the objects below a location, from storage; ``inventories`` from an S3 inventory
* ``spools``       the listed objects, in a temporary file until the references are known
* ``known_files``  the references as keys on disk
* ``searches``     the search: first the listing, then the references
"""
