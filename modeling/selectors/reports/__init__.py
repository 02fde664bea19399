"""Release reports: what they hold, how one is put together from today's models, and where today's numbers
differ from frozen ones.

Freezing, sharing and deleting them is in `modeling.services`; how they look is in `perfweb.portal`.
"""
