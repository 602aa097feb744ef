"""How well the win probability under label noise is calibrated, by simulation."""
