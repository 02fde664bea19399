"""The modelers, each a module or a package, and the modules that several of them use.

`regression` and `refinement` find one term per parameter, and share `term_modeler` with the modules that it
imports. `modeling.engine.fitting` chooses among the modelers by name.
"""
