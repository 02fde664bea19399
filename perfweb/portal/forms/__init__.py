"""The forms that users fill in, one page's forms per module: fields, help texts, and validation.

Forms validate the input; the services that views call decide what is stored, and who may store it.
"""
