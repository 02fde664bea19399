"""Plans of further measurements: the question in an address, its answer, and the progress of a kept plan.

Job scripts are in `modeling.scripts`, and the mathematics is in `modeling.engine.design`.
"""
