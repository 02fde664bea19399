"""The bodies of requests and answers, one module per resource; the OpenAPI schema is derived from them."""
