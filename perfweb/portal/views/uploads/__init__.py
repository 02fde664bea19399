"""The pages of uploads: the form, the preview, the progress, and uploading from jobs.

The pages of the resulting campaign are in `campaign`.
"""
