"""What a table is, whatever its format: schemas, types, values, partition specs, snapshots, and files as columns."""
