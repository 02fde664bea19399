"""What to measure next, and how little is enough: designs from what a program's functions depend on, and
from what measurements leave open. Nothing here fits a law or reads a file; plans go out as arrays with
reasons.
"""
