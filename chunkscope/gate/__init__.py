"""One setting against thresholds, before anything is indexed. It decides, and prints nothing."""
