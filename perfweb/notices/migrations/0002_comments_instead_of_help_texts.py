from django.db import migrations

from perfweb.accounts.migration_steps import RemoveHelpTexts


class Migration(migrations.Migration):
    dependencies = [
        ("notices", "0001_initial"),
    ]

    operations = [RemoveHelpTexts()]
