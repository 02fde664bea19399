"""What the pages of a release report are put together from: rows and sentences, made of stored JSON alone.

What a report holds is decided in `modeling.selectors.reports`; the views that answer are in `views`.
"""
