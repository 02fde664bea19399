"""Querysets of rows that belong to projects; queries for a reader start from the reader's projects."""

from collections.abc import Iterable
from typing import ClassVar, Self, TypeVar

from django.db import models

from perfweb.accounts.models import Project

Row_co = TypeVar("Row_co", bound=models.Model, covariant=True)


class ProjectRows(models.QuerySet[Row_co]):
    """Rows that refer to a project."""

    to_project: ClassVar = "project"

    def in_projects(self, projects: Iterable[Project]) -> Self:
        """Return the rows of these projects."""
        return self.filter(**{f"{self.to_project}__in": projects})


class ApplicationRows(ProjectRows[Row_co]):
    """Rows that refer to an application."""

    to_project = "application__project"


class VersionRows(ProjectRows[Row_co]):
    """Rows that refer to a version."""

    to_project = "version__application__project"
