"""The modelers, each a module or a package, and the common parts of the modelers that find one term per
parameter.

`modeling.engine.fitting` chooses among them by name.
"""
