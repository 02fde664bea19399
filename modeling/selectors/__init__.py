"""Reading models, one subject a module: frozen dataclasses with numbers that are ready to show."""
