"""The texts of the portal: numbers, laws, names, verdicts and commands, as text or with a few tags of
HTML.

Nothing here reads the database or knows a page; tables and charts are made in rooms of their own.
"""
