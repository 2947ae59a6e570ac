"""Object storage behind allowed roots. Foreign errors become ours here.

* ``locations``  parse, hold against the roots, rewrite; pure
* ``store``      the one door: read, read many, stat, list, walk
* ``objects``    what it gives and is asked for
* ``backend``    what each kind of storage offers it: ``local``, ``s3``, ``generic``
* ``failures``   foreign errors to ours
"""
