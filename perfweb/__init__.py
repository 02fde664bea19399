"""The Django project: settings, launcher, accounts, pages, the REST interface, notifications and commands.

Campaigns are stored by `ingest` and modelled by `modeling`, which do not depend on the project's pages.
"""
