"""The winner under doubt, on the Benchmark page."""
