"""Read several versions in order: histories, totals, and changes from one version to the next."""
