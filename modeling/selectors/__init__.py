"""Read data for pages and the REST interface, as frozen dataclasses with numbers that are ready to show.

Nothing here writes to the database, or makes HTML. `modeling.services` writes, and `perfweb` shows.
"""
