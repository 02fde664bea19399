"""The Django project: settings, launcher, accounts, pages and the REST interface."""
