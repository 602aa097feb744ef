"""What errors of the raters do to a comparison: confusion of levels, redrawn labels, who wins."""
