"""Read models for pages and the REST interface: frozen dataclasses with numbers that are ready to show."""
