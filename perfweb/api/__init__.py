"""The REST interface under /api/v1/, for job scripts and pipelines.

Views parse a request and call one service or selector; pages for people are in `perfweb.portal`.
"""
