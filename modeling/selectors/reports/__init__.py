"""Release reports: their content, how it is built from today's models, and how today differs from frozen
content.

Reports are frozen, shared and deleted in `modeling.services`, and rendered in `perfweb.portal`.
"""
