"""Users, projects, roles, tokens and the audit log: who may see and change what.

This app imports no other app. The other apps start their queries from its projects.
"""
