"""The views of the REST interface, one module per resource."""
