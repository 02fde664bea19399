"""The pages of uploads: the form, the preview, what became of them, and uploading from jobs.

What an upload became is a campaign; its pages are in `campaign`.
"""
