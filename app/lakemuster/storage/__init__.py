"""Access to object storage, limited to allowed roots. Errors of drivers are mapped to Lakemuster's errors here.

* ``locations``  parse locations, check them against the roots, rewrite them; pure
* ``store``      the only entry point: read, read many, stat, list, walk
* ``objects``    its arguments and results
* ``backend``    the protocol of storage backends, implemented by ``local``, ``remote`` and ``generic``
* ``remote``     the backend for the sources ``s3``, ``gcs``, ``azure``, ``webhdfs`` and ``http``: retries, deadlines
* ``failures``   mapping of errors
"""
