"""The JSON of the Paimon REST catalog."""
