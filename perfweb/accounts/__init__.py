"""Users, projects, roles, tokens and the audit log: who may see and change what.

This app imports no other app, and all others start their queries from its projects.
"""
