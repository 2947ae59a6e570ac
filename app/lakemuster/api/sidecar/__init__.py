"""The sidecar: requests below ``/iceberg/v1/{catalog}`` go to an attached REST catalog, planning is ours.

Clients name the catalog as their warehouse, and get it as their prefix. ``requests`` tells such requests from our own,
``access`` decides who may pass what with this server's principal, ``rights`` asks the catalog whether a caller may load
a table before a plan is answered, ``passing`` sends a request on and streams the answer back, ``answers`` changes the
few that would lead a client past us, whose ETags are of ``etags``, ``changes`` tells which tables a commit has changed,
and ``middleware`` joins them.

Once a byte of a request has gone to the catalog, its answer is the catalog's, or 502 or 504. No request is sent twice.
"""
