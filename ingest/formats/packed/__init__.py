"""Archives and compressed files, a member at a time, and never more than they may hold.

What the members mean is read by the formats in the folder above.
"""
