"""What writes alerts: raising them, following comparisons, triage by people, silences.

Who is told of them is none of its business: see `modeling.signals`.
"""
