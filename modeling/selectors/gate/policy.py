"""The policy that an application's gate judges by, unless a question brings its own."""

from ingest.models import Application
from modeling.models import ReleaseRules
from modeling.rules.policies import DEFAULT_POLICY


def policy_of(application: Application) -> str:
    """The application's own policy as it was written, or the default one."""
    rules = ReleaseRules.objects.filter(application=application).values_list("gate_policy", flat=True)
    return rules.first() or DEFAULT_POLICY
