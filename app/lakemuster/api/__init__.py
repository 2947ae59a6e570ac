"""HTTP: the application, its routes, callers and middleware."""
