"""What a law is: terms, their growth, and formulas for people, LaTeX and Python.

Nothing here knows data; what was measured is in `measured`.
"""
