"""Reads formats, with one module or folder for each, in folders by the kind of program that writes the files.

A reader is a module that `registry` lists. It has these names:

- `NAME` and `TITLE`: the format's name for programs and for people.
- `recognises(source)`: returns whether a file has this format.
- `read(source)`: returns the campaign, or raises FormatError.

Further names are optional:

- `PACKED = True`: the format is also read from archives and folders.
- `CONTAINED = True`: reading needs a multiple of the file's size in memory.
- `GENERAL = True`: files of an archive are read in this format only if all files are.
- `OPTIONS`: the names and explanations of the user's choices.

A reader imports no readers of other folders; what several of them need lies beside this package.
"""
