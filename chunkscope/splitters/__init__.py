"""Splitters from outside: what they give, where that lies in the documents, and what is wrong with it."""
