"""Starts, watches and stops the portal's processes, with PostgreSQL and Valkey from installed wheels."""
