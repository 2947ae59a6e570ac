"""The sidecar: a reverse proxy to attached REST catalogs, except for scan planning, which this server does.

Requests below ``/iceberg/v1/{catalog}`` belong to a catalog: clients name the catalog as their warehouse, and receive
its name as their prefix. ``requests`` recognizes such requests by their paths. ``access`` authorizes those that use
this server's principal; ``rights`` asks the catalog whether a caller may load a table before a plan is returned.
``forwarding`` forwards a request over ``connections`` and streams the response back. ``response_rewrites`` changes the
few responses that would lead a client past this server, and ``etags`` makes their ETags.
``changes`` determines which tables a commit has changed, and ``marks`` records them. ``middleware`` joins all this.

Once a byte of a request has gone to the catalog, the response is the catalog's or an error: 502 or 504 if the catalog
fails. A request that may change something is never sent twice.
"""
