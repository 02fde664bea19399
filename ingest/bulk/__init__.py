"""Many rows at a time to and from PostgreSQL, through COPY, for every app.

Nothing here knows what the rows mean; ordinary queries go through Django's models.
"""
