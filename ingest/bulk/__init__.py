"""Copies many rows at a time to and from PostgreSQL with COPY, for every app.

Nothing here knows what the rows mean; ordinary queries go through Django's models.
"""
