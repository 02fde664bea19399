"""Pages about a whole application or project: overview, home, news, search.

They put together what the other rooms hold.
"""
