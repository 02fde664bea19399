"""The REST interface under /api/v1/: for job scripts and pipelines."""
