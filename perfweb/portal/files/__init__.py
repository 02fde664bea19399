"""What can be downloaded: rows as CSV and JSON, measured values, and laws in the forms that programs read.

The views decide who gets a file and what it is called; charts that can be downloaded are made by the browser.
"""
