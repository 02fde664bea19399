"""What goes over the wire, one module a resource; the schema is made from these."""
