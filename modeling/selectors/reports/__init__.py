"""Release reports: their content, its computation, and differences from present numbers."""
