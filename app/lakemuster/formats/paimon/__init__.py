"""Paimon's metadata: schemas, snapshots, manifests, statistics, file indexes, and rules of its layout."""
