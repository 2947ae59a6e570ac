"""Sign-in of browsers: routes below ``/session``, and the cookie that stands for a bearer token.

``sessions`` caches and renews the tokens that browsers signed in with, ``cookies`` is the middleware that replaces a
cookie with its session's bearer token, ``code_flow`` signs in at an OpenID provider, and ``routes`` has the routes.
"""
