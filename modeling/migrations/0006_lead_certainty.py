import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('modeling', '0005_segments'),
    ]

    operations = [
        migrations.AddField(
            model_name='model',
            name='lead_certainty',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), help_text='how probable each lead exponent is, within 1/4', null=True, size=None),
        ),
    ]
