"""The modelers, each a module or a folder, and the common parts of those that find one term per parameter.

`modeling.engine.fitting` chooses among them by name.
"""
