"""Downloads: rows as CSV and JSON, measured values, and laws in the forms that programs read.

Views decide who gets a file and how it is named; downloads of charts are made by the browser.
"""
