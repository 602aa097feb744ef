"""The winner under doubt: how often each candidate of a run wins if labels may be wrong."""
