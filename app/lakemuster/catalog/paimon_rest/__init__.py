"""What the Paimon REST catalog answers, without HTTP."""
