"""The client that job scripts download from the portal; it contains nothing that the portal itself runs.

The client stays one file with sections, instead of modules that a build step would join. A job can fetch it
with one `curl` and run it where nothing can be installed. The line numbers of a traceback are the same as in
the repository. People can read the whole program before they run it with a token. The portal changes only one
line of it, its own address.
"""
