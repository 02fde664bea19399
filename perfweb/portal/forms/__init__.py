"""What people fill in, one page's forms a module: fields, help texts, and what cannot be meant.

Forms check what was typed; what is stored, and who may store it, is up to the services that views call.
"""
