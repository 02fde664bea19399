"""Sets of real measurements, built from public repositories.

The measurements themselves are not part of this repository. `sources` lists where they are published and how
their files are read, `reading` reads them, and `__main__` writes the sets to a folder.
"""
