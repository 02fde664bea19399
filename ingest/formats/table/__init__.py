"""Tables of any tool: which column is what, what its cells hold, and their rows as a campaign.

The formats that write tables are in the folder above; here nothing is known of any of them.
"""
