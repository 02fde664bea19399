"""Read data for pages and the REST interface, as frozen dataclasses with numbers that are ready to show."""
