"""Store and delete kept plans. Proposals, and the progress of a plan, are computed in
`modeling.selectors.plans`.
"""
