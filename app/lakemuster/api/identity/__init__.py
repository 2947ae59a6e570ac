"""Authentication and authorization: callers, how they are authenticated, and the policy of their rights.

``callers``         a caller, its grants, patterns of namespaces
``policy``          authorization: who may do what to which table
``authenticator``   the port of authentication: from a bearer token to a caller
``tokens``          static tokens: the tokens file's content
``token_file``      the tokens file of a running server, reloaded when it changes
``oidc``            access tokens of OpenID providers: by signature, or by introspection
``provider``        an OpenID provider's endpoints and keys, fetched in bounded time
``claims``          the grants that a token's claims name
``rate_limits``     how many requests a caller may make
``audit``           the audit log: who did what to which table
``opening``         builds all of this from the settings
"""
