"""Documents and how they are read."""
