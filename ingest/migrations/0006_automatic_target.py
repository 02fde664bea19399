from django.db import migrations, models
from django.db.models import Count


def mark(apps, _):
    """Mark an application's only target as automatic if the audit log does not mention any target."""
    Application = apps.get_model("ingest", "Application")
    AuditEntry = apps.get_model("accounts", "AuditEntry")
    for application in Application.objects.annotate(count=Count("targets")).filter(count=1):
        touched = AuditEntry.objects.filter(
            project_id=application.project_id,
            action__startswith="target.",
            subject__startswith=f"{application.slug}: ",
        )
        if not touched.exists():
            application.targets.update(automatic=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("ingest", "0005_points_and_rounds"),
    ]

    operations = [
        migrations.AddField(
            model_name="target",
            name="automatic",
            field=models.BooleanField(default=False, help_text="The portal chose it, and moves it."),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
