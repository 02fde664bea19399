"""Forms for a maintainer's settings of an application."""

from typing import cast

from django import forms

from ingest.fields.names import text_visible
from ingest.fields.repository import LONGEST_ADDRESS, repository_cleaned
from ingest.models import Metric, Parameter
from modeling.engine import MODELERS
from modeling.rules.expectations import EXAMPLES
from modeling.rules.patterns import LONGEST_PATTERN
from modeling.rules.policies import DEFAULT_POLICY
from modeling.rules.reading import LONGEST
from modeling.targets import FARTHEST, FARTHEST_TOLD, NEAREST


class TargetForm(forms.Form):
    """The form of a new target: a name, and a value for every parameter."""

    name = forms.CharField(
        max_length=80, help_text="As people call it, e.g. full machine.", validators=[text_visible]
    )

    def __init__(self, parameters: tuple[Parameter, ...], *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.parameters = parameters
        for parameter in parameters:
            unit = f" ({parameter.unit})" if parameter.unit else ""
            self.fields[f"at.{parameter.name}"] = forms.FloatField(
                label=f"{parameter.name}{unit}", widget=forms.NumberInput(attrs={"step": "any", "min": "0"})
            )

    def clean(self) -> dict[str, object]:
        """Check that every value is a number above 0, because laws have powers and logarithms."""
        data = super().clean() or {}
        for parameter in self.parameters:
            field = f"at.{parameter.name}"
            value = data.get(field)
            if value is not None and not NEAREST <= value <= FARTHEST:
                self.add_error(field, f"Expected a number above 0, up to {FARTHEST_TOLD}.")
        return data

    def values(self) -> dict[str, float]:
        """Return the target's values by parameter."""
        return {parameter.name: self.cleaned_data[f"at.{parameter.name}"] for parameter in self.parameters}


class ModelersForm(forms.Form):
    """The modelers of future campaigns."""

    shown = forms.ChoiceField(
        choices=[(name, name) for name in MODELERS], help_text="Pages show the models of this modeler."
    )
    compared = forms.MultipleChoiceField(
        choices=[(name, name) for name in MODELERS], required=False, widget=forms.CheckboxSelectMultiple,
        label="Compare with",
        help_text="These modelers run after it.",
    )  # fmt: skip


class ParameterForm(forms.Form):
    """The role and the unit of a parameter."""

    role = forms.ChoiceField(choices=Parameter.Role.choices)
    unit = forms.CharField(max_length=40, required=False, validators=[text_visible])

    def __init__(self, parameter: Parameter, data: object = None) -> None:
        initial = {"role": parameter.role, "unit": parameter.unit}
        super().__init__(data, initial=initial, prefix=f"parameter-{parameter.pk}")  # type: ignore[arg-type]
        self.parameter = parameter
        _label(self, parameter.name)


class MetricForm(forms.Form):
    """The unit and the direction of a metric."""

    unit = forms.CharField(max_length=40, required=False, validators=[text_visible])
    lower_is_better = forms.TypedChoiceField(
        choices=((True, "lower"), (False, "higher")), coerce=lambda value: value == "True"
    )

    def __init__(self, metric: Metric, data: object = None) -> None:
        initial = {"unit": metric.unit, "lower_is_better": metric.lower_is_better}
        super().__init__(data, initial=initial, prefix=f"metric-{metric.pk}")  # type: ignore[arg-type]
        self.metric = metric
        _label(self, metric.name)


class RepositoryForm(forms.Form):
    """The address of the application's code."""

    repository = forms.CharField(
        label="Address",
        required=False,
        max_length=2 * LONGEST_ADDRESS,
        help_text="Such as https://github.com/team/solver, on GitHub, GitLab, Gitea or Forgejo. If the "
        "host is a GitLab without gitlab in its name, end the address with /-. Empty: no links.",
    )

    def clean_repository(self) -> str:
        """Return an https address without superfluous parts."""
        return repository_cleaned(self.cleaned_data["repository"])


class ReleasesForm(forms.Form):
    """The main branch, and the policy of the gate."""

    main_branch = forms.CharField(
        required=False, max_length=120, validators=[text_visible],
        help_text="A version is compared with the newest earlier version of its own branch. If there is "
        "none, the newest of this branch is used. Empty: main, master or trunk.",
    )  # fmt: skip
    gate_policy = forms.CharField(
        label="Policy of the gate", required=False, max_length=LONGEST,
        widget=forms.Textarea(attrs={"rows": 3, "placeholder": DEFAULT_POLICY}),
        help_text="The gate refuses a version if one of these conditions is met. A pipeline may send another "
        "policy. Empty: the conditions shown.",
    )  # fmt: skip


class DependenciesForm(forms.Form):
    """A file with the parameters that functions depend on."""

    file = forms.FileField(
        label="File of Perf-Taint (JSON)",
        help_text="The file that the instrumented program wrote, such as app_0.json. It replaces an earlier "
        "file.",
    )


class ExpectationForm(forms.Form):
    """A new expectation of kernels."""

    metric = forms.TypedChoiceField()
    pattern = forms.CharField(
        label="Kernels", max_length=LONGEST_PATTERN, initial="*",
        help_text="A function's name such as *halo*, or with -> a call path such as main->solve->*. "
        "* stands for any text.",
    )  # fmt: skip
    text = forms.CharField(
        label="Expected",
        max_length=LONGEST,
        help_text=f"{EXAMPLES}. Parameters that you do not name are not restricted.",
    )

    def __init__(self, metrics: tuple[Metric, ...], data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        named = {metric.name: metric for metric in metrics}
        field = cast(forms.TypedChoiceField, self.fields["metric"])
        field.choices = [(name, name) for name in named]
        field.coerce = named.__getitem__


def _label(form: forms.Form, subject: str) -> None:
    """Give the fields labels for screen readers. In a table only the row shows what a field is for."""
    for name, field in form.fields.items():
        field.widget.attrs["aria-label"] = f"{name.replace('_', ' ')} of {subject}"
