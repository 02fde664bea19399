"""Starts, watches and stops the portal's processes, with PostgreSQL and Valkey from installed wheels.

Pages and tasks know nothing of the launcher; a server with its own PostgreSQL and Redis works without it.
"""
