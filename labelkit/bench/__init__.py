"""Benchmarks: scoring, preflight, running, comparing, reporting."""
