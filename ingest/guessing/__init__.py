"""Guesses what a file lacks: roles, units, directions, and the target. Maintainers can correct them."""
