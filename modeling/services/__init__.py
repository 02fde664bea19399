"""Functions that write to the database, one package for each subject.

A function with an `actor` raises RoleRequired if the actor's role is too low, and Http404 for a non-member.
"""
