"""Release reports: the format of their content, its computation from models, and where present numbers differ
from it.

Reports are stored, shared and deleted in `modeling.services`, and rendered in `perfweb.portal`.
"""
