"""Copies many rows at a time to and from PostgreSQL with COPY."""
