"""The rows of lists: snapshots, manifests, entries, partitions, index files, and differences of snapshots."""
