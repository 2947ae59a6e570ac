"""Object storage behind allowed roots. Foreign errors are mapped to ours here.

* ``locations``  parse locations, check them against the roots, rewrite them; pure
* ``store``      the only entry point: read, read many, stat, list, walk
* ``objects``    its arguments and results
* ``backend``    the protocol of each kind of storage: ``local``, ``remote``, ``generic``
* ``remote``     the frame of the object stores: ``s3``, ``gcs``, ``azure``, ``webhdfs``, ``http`` are its sources
* ``failures``   mapping of foreign errors
"""
