"""The views of the REST interface, one module per resource.

They call the services and selectors that pages call, and have no rules of their own.
"""
