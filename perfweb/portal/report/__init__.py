"""The parts of a release report's pages: rows and sentences, made of stored JSON alone.

The content of a report is defined in `modeling.selectors.reports`; the views are in `views`.
"""
