"""The content of a kernel's posterior: rival laws, growth and noise."""

from typing import Any

from modeling.engine import DEFAULT_MODELER, FEW_VALUES, SEGMENTED, TOO_FEW_VALUES, Models, points_for_more
from modeling.selectors.run.origins import noise_sources
from modeling.selectors.run.weighed import scatter
from perfweb.portal.kernel.fit import Fit
from perfweb.portal.kernel.noise import noise_card
from perfweb.portal.kernel.reliance import hidden
from perfweb.portal.kernel.rivals import certainty, few_values, growths, rival_bars
from perfweb.portal.kernel.scaling import scaling_card
from perfweb.portal.text.markup import law_unit


def posterior_content(fit: Fit, models: Models) -> dict[str, Any]:
    """Return rivals, growth and noise, and how reliable they are."""
    model = fit.found.model
    found, names, unit = fit.weighed, fit.campaign.parameters, fit.focus.unit
    target = fit.focus.target.text if fit.focus.target and fit.state.target else ""
    context: dict[str, Any] = {
        "hidden": _hidden(fit),
        "noise": noise_card(
            fit.campaign,
            fit.found.values,
            found.noise if found else (),
            next(iter(scatter(models)), None),
            fit.found.rounds,
            breaks=models.status[0] == SEGMENTED,
            modeler=model.run.modeler if model else DEFAULT_MODELER,
            sources=noise_sources(fit.campaign, fit.found.values) if fit.found.rounds is None else (),
        ),
    }
    context["scaling"] = scaling_card(fit, models)
    # With a single point all probabilities are the prior's, so the page compares no laws.
    if found is not None and found.rivals and model is not None and model.points_used > 1:
        varied = [len(knob.choices) > 1 and knob.name not in fit.following for knob in fit.state.knobs]
        context |= {
            "rivals": rival_bars(found, names, unit, law_unit([model], unit)),
            "certainty": few_values()
            if models.status[0] == TOO_FEW_VALUES
            else certainty(found, names, unit, target, few=models.status[0] == FEW_VALUES),
            "growths": growths(found, names, varied),
        }
    return context


def _hidden(fit: Fit) -> str:
    """Return a warning that a falling law may hide a growing part at the target."""
    found, model, target = fit.weighed, fit.found.model, fit.state.target
    if found is None or model is None or target is None:
        return ""
    falling = [
        name
        for at, name in enumerate(fit.campaign.parameters)
        if found.formula[at].exponent < 0 and target[at] > fit.ranges[at][1]
    ]
    return hidden(falling, model.points_used, points_for_more(len(target)))
