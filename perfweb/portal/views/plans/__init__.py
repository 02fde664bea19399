"""The pages of the planner: what to measure next, stored plans, and their scripts.

Proposals are made in `modeling.selectors.plans`; these views only request and show them.
"""
