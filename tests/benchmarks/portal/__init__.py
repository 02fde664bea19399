"""Figures of the running portal and its database; those of the engine are one folder up."""
