"""What is known of a kernel beyond its formula."""

from typing import Any

from modeling.engine import Models
from modeling.selectors.weighed import scatter
from perfweb.portal.views.kernel_fit import Fit
from perfweb.portal.views.kernel_noise import noise_card
from perfweb.portal.views.kernel_reliance import reliance
from perfweb.portal.views.kernel_rivals import certainty, growths, rival_bars
from perfweb.portal.views.kernel_scaling import scaling_card


def known(fit: Fit, models: Models) -> dict[str, Any]:
    """What is known beyond the formula: rivals, growth, noise, and how far all that reaches."""
    found, names, unit = fit.weighed, fit.campaign.parameters, fit.focus.unit
    target = fit.focus.target.text if fit.focus.target and fit.state.target else ""
    context: dict[str, Any] = {
        "reliance": fit.state.target
        and reliance(fit.campaign, fit.state.target, fit.prediction, over_all_laws=found is not None),
        "noise": noise_card(
            fit.campaign, fit.found.values, found.noise if found else (), next(iter(scatter(models)), None)
        ),
    }
    context["scaling"] = scaling_card(fit, models)
    if found is not None and found.rivals:
        varied = [len(knob.choices) > 1 for knob in fit.state.knobs]
        context |= {
            "rivals": rival_bars(found, names, unit),
            "certainty": certainty(found, names, unit, target),
            "growths": growths(found, names, varied),
        }
    return context
