from django.db import migrations

from perfweb.accounts.migration_steps import RemoveHelpTexts


class Migration(migrations.Migration):
    dependencies = [
        ("ingest", "0012_nearer_targets"),
    ]

    operations = [RemoveHelpTexts()]
