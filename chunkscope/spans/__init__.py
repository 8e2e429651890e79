"""One coordinate system: half-open spans in code points, and documents laid one behind the other."""
