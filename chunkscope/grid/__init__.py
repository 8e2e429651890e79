"""All settings of a grid over all documents: notation, scan, sweep, results."""
