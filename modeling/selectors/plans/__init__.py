"""What an application should measure next: the question as an address asks it, its answer, and how far a
kept plan is. Job scripts are in `modeling.scripts`, the mathematics in `modeling.engine.design`.
"""
