"""The demo of `--demo`: a small application of our own, measured over six versions.

Its measurements in `data` were made by `perfweb.demo.measure`; only `load` runs in the portal.
"""
