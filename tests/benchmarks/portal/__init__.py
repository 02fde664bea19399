"""Measurements of the running portal and its database. Those of the engine are one folder up."""
