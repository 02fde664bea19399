"""Users, projects, roles, tokens and the audit log: who may see and change what.

This is the lowest app: it imports no other, and all others start their queries from its projects.
"""
