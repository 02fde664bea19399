"""Values on their way from a parser into the arrays of a campaign, and several campaigns into one.

Whatever is too large is refused here, while it is collected; what a value is of is known to the formats.
"""
