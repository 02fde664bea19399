"""One module per page: a view parses, calls one service or a few selectors, and answers."""
