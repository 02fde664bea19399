"""The client that job scripts download from the portal; the portal itself does not run it.

It is one file, so that a job can fetch it with one `curl`. The portal writes its own
address into one line of the file.
"""
