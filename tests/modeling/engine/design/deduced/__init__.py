"""Tests of designs and models that follow from what functions depend on."""
