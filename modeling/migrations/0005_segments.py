from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("modeling", "0004_stability"),
    ]

    operations = [
        migrations.AddField(
            model_name="model",
            name="segments",
            field=models.JSONField(
                help_text="laws of smaller values, where this one is of the largest; see modeling.storage.segments",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="model",
            name="segment_posteriors",
            field=models.BinaryField(help_text="draws of these laws, one after the other", null=True),
        ),
        migrations.AlterField(
            model_name="model",
            name="status",
            field=models.CharField(help_text="ok, segmented, or why there is no law", max_length=20),
        ),
    ]
