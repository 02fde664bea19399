"""The demo of `--demo`: a small application of our own, measured over six versions.

Its measurements were made once by `perfweb.demo.measure` and are stored in `data`; only `load` runs in the
portal.
"""
