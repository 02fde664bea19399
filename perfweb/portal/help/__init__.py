"""What the pages of the help are put together from: their chapters, the figures on accuracy, the REST fields.

The chapters' own texts are templates; the views that answer are in `views`, as those of all pages.
"""
