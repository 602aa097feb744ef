"""Queries from real life: logs, conversations, misses; drawn, looked through, kept verbatim."""
