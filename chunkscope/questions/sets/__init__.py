"""Question sets of other tools: what they look like, and the questions and documents in them."""
