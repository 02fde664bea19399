"""JSON that is walked rather than loaded: bounded in depth and size, with every key once.

Which members a file must have is known to the formats in the folder above.
"""
