"""What the kernel's page is put together from, a card or tab a module: law, rivals, noise, scaling, segments.

The view reads the request and answers; charts are drawn in `charts`, and the numbers come from selectors.
"""
