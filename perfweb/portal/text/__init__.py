"""The texts of the portal: numbers, laws, names, verdicts, commands. Words of one topic are in `topics`.

Nothing here reads the database or depends on a page.
"""
