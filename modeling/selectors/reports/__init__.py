"""Release reports: their content, how the content is built from today's models, and how today's numbers
differ from frozen ones.

Reports are frozen, shared and deleted in `modeling.services`, and rendered in `perfweb.portal`.
"""
