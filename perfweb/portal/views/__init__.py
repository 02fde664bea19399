"""The views of the pages: a view parses, calls one service or a few selectors, and answers."""
