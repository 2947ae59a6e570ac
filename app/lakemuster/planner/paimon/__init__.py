"""The read path's rules for Paimon."""
