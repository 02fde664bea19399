"""The Django app of users, projects, memberships, tokens and the audit log."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Configures the app."""

    name = "perfweb.accounts"
