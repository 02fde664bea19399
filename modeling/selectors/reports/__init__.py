"""Release reports: the format of their content, its computation from present models, and its changes since.

Reports are stored, shared and deleted in `modeling.services`, and rendered in `perfweb.portal`.
"""
