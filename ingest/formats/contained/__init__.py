"""Reading in a child process that can hurt nobody, and what it sends back.

What is read there is decided by the formats in the folder above, which know nothing of processes.
"""
