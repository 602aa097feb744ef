"""How often alpha's interval holds the true alpha, over a grid of alphas and level mixes."""
