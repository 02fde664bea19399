"""The modelers, each a module or a folder, and what those for single terms share.

`modeling.engine.fitting` chooses among them by name.
"""
