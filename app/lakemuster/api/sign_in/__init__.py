"""Sign-in of browsers: routes below ``/session``, and the cookie that stands for a bearer token.

``sessions`` keeps what browsers signed in with, ``cookies`` is the middleware that turns a cookie into the bearer token
of its session, ``code_flow`` signs in at an OpenID provider, and ``routes`` is what a page calls.
"""
