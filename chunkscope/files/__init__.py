"""Reading files: which of a folder, in what encoding, and JSON line by line."""
