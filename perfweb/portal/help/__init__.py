"""The content of the help pages: chapters, figures on accuracy, and the fields of the REST interface.

The texts of the chapters are templates; the views are in `views`, as for all pages.
"""
