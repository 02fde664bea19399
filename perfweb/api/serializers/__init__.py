"""The bodies of requests and answers, one module per resource; the OpenAPI schema is derived from them.

Whether a request is allowed, and what it does, is decided in `perfweb.api.views`.
"""
