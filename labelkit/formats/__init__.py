"""Files in and out: tables, TREC."""
