"""Store the powers of parameters with which the factor of all kernels grows."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('modeling', '0014_adapting'),
    ]

    operations = [
        migrations.AddField(
            model_name='shift',
            name='growth',
            field=models.JSONField(default=list, help_text='powers of parameters that it grows or falls like: parameter, exponent, lower, upper'),
        ),
    ]
