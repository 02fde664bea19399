"""The pages of the planner: what to measure next, plans that were kept, and their scripts. What to propose
is decided in `modeling.selectors.plans`; here it is only asked and shown.
"""
