"""What a sweep counts in each cell; see `chunkscope.measures.base`."""
