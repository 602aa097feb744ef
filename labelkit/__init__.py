"""labelkit: build a retrieval test set you can trust, then decide with it what to ship."""

__version__ = "0.1.0"
