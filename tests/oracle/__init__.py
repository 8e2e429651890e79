"""The slow, obvious reference of everything fast: loops over plain data, written from the rules, importing no chunkscope."""
