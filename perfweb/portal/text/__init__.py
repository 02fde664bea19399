"""The texts of the portal: numbers, laws, names, verdicts and commands, as text or with a few tags of
HTML. The words of single topics are in `topics`.

Nothing here reads the database or depends on a page; tables and charts have packages of their own.
"""
