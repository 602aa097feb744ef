"""The demo: the running Python's documentation, with queries and judgments written for it."""
