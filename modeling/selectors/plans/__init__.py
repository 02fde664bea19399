"""Plans of further measurements: the user's question, the proposed plan, and the progress of a kept plan.

Job scripts are in `modeling.scripts`, and the mathematics is in `modeling.engine.design`.
"""
