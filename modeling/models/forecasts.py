"""Predictions beyond a model's data, and the later measurements with which they are compared."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from ingest.models import Campaign
from modeling.models.laws import Model


class Forecast(models.Model):
    """A model's predictions at points beyond its data, measured by another campaign of the same version."""

    model = models.ForeignKey(Model, models.CASCADE, related_name="forecasts")
    # The campaign that measured the points.
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="forecasts")
    points = ArrayField(ArrayField(models.FloatField()))
    predicted = ArrayField(models.FloatField())
    lower = ArrayField(models.FloatField())
    upper = ArrayField(models.FloatField())
    measured = ArrayField(models.FloatField())
    # The median, over the points, of |predicted − measured| / measured.
    relative_error = models.FloatField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["model", "campaign"], name="forecast_once"),
        ]

    def __str__(self) -> str:
        return f"forecast of {self.model}"
