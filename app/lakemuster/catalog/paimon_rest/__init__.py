"""Use cases of the Paimon REST catalog, independent of HTTP."""
