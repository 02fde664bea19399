"""Release reports: the format of their content, its computation from models, and the changes of its numbers
since.

Reports are stored, shared and deleted in `modeling.services`, and rendered in `perfweb.portal`.
"""
