from django.db import migrations

from perfweb.accounts.migration_steps import RemoveHelpTexts


class Migration(migrations.Migration):
    dependencies = [
        ("modeling", "0017_guessed_costs"),
    ]

    operations = [RemoveHelpTexts()]
