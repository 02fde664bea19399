"""Operations for the migrations of all apps."""

from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class RemoveHelpTexts(Operation):
    """Removes the help texts of all fields of an app from the state of the migrations.

    The database does not change. One AlterField for each field would take seconds, because each one builds
    the models again.
    """

    reduces_to_sql = False
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Replace each field by a copy without help text."""
        for (label, _), model in state.models.items():
            if label == app_label:
                for name, field in model.fields.items():
                    model.fields[name] = field.clone()
                    model.fields[name].help_text = ""

    def database_forwards(self, *_: Any) -> None:
        """Change nothing."""

    def database_backwards(self, *_: Any) -> None:
        """Change nothing."""

    def describe(self) -> str:
        """Return a description for the output of migrate."""
        return "Remove the help texts of all fields"
