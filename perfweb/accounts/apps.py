"""Who may see and change what: users, projects, memberships, tokens, audit."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """The lowest app of the house: it imports no other."""

    name = "perfweb.accounts"
