"""`python -m labelkit.cli` is the command line."""

from labelkit.cli import main

main()
