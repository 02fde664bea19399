"""Copies many rows at a time to and from PostgreSQL with COPY, for every app.

Nothing here knows what the rows mean. Ordinary queries use Django's models.
"""
