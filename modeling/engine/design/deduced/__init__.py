"""Designs and models that follow from what functions are known to depend on (Performance-Detective)."""
