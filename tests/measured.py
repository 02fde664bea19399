"""Makes campaigns with measurements: laws with reproducible noise around them."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ingest.models import Application, Campaign, Kernel, Series
from modeling.models import Change, ModelRun
from modeling.services.models.runs import run_execute
from tests.factories import (
    Law,
    law_value,
    make_application,
    make_campaign,
    make_change,
    make_comparison,
    make_run,
)

STORY: dict[str, Law] = {
    "main": (0.4, []),
    "main->timestep": (0.02, [(4e-4, (0.5, 0.0, 0.0, 0.0))]),
    "main->timestep->halo_exchange": (0.021, [(8.8e-4, (2 / 3, 1.0, 0.0, 0.0))]),
    "main->timestep->sweep": (0.05, [(2.4e-4, (0.0, 0.0, 1.0, 0.0))]),
    "main->timestep->assemble": (0.3, [(3e-8, (0.0, 0.0, 2.0, 0.0))]),
    "main->reduce_dt": (0.01, [(0.011, (0.0, 1.0, 0.0, 0.0))]),
    "main->io_checkpoint": (0.8, [(1e-6, (0.5, 0.0, 1.0, 0.0))]),
    "main->setup": (0.12, []),
    "main->setup->read_mesh": (0.08, []),
}
"""A small program with kernels that grow in different ways, and three kernels that do not grow."""


def make_measured(
    application: Application,
    label: str,
    laws: dict[str, Law] = STORY,
    *,
    noise: float = 0.06,
    repetitions: int = 5,
    missing: Sequence[int] = (),
) -> tuple[Campaign, ModelRun]:
    """Make a campaign with values around these laws, and its models.

    The values scatter by half of `noise` to either side. `missing` are the indices of points without a value.
    """
    campaign = make_campaign(application, label)
    run = make_run(campaign, laws)
    measure(campaign, laws, noise=noise, repetitions=repetitions, missing=missing)
    return campaign, run


def make_weighed(
    application: Application,
    label: str,
    laws: dict[str, Law] = STORY,
    *,
    noise: float = 0.06,
    repetitions: int = 5,
) -> tuple[Campaign, ModelRun]:
    """Make a campaign with values around these laws, modelled by the evidence modeler as a worker does it."""
    campaign = make_campaign(application, label)
    measure(campaign, laws, noise=noise, repetitions=repetitions)
    run = ModelRun.objects.create(campaign=campaign, modeler="evidence")
    run_execute(run)
    run.refresh_from_db()
    return campaign, run


def make_slower(
    parameters: Sequence[str], versions: Sequence[str], laws: Callable[[int], Mapping[str, Law]]
) -> Campaign:
    """Make two measured and compared versions, and return the second one, in which every kernel takes twice
    as long.

    The application's parameters are renamed to `parameters`. `laws(1)` and `laws(2)` are the laws of the two
    versions.
    """
    application = make_application()
    for parameter, name in zip(application.parameters.order_by("position"), parameters, strict=True):
        parameter.name = name
        parameter.save()
    application.targets.update(values=dict(zip(parameters, (65536, 8000), strict=True)))
    campaigns = []
    for number, version in enumerate(versions, 1):
        campaign = make_campaign(application, version)
        campaign.parameters = list(parameters)
        campaign.save()
        make_run(campaign, dict(laws(number)))
        measure(campaign, dict(laws(number)))
        campaigns.append(campaign)
    before, after = campaigns
    comparison = make_comparison(before, after)
    for path in laws(2):
        make_change(comparison, path, Change.Kind.FACTOR, 2.0)
    return after


def measure(
    campaign: Campaign,
    laws: dict[str, Law],
    *,
    noise: float = 0.06,
    repetitions: int = 5,
    missing: Sequence[int] = (),
) -> None:
    """Store values around the laws. Kernels that do not exist yet are made."""
    application = campaign.version.application
    metric = application.metrics.get(name="time")
    random = np.random.default_rng(campaign.version.position)
    for path in laws:
        Kernel.objects.get_or_create(application=application, path=path)
    kernels = {kernel.path: kernel for kernel in application.kernels.all()}
    rows = []
    for path, law in laws.items():
        exact = np.array([law_value(law, point) for point in campaign.points])
        values = exact[:, None] * (1 + noise * random.uniform(-0.5, 0.5, (len(exact), repetitions)))
        values[list(missing)] = np.nan
        rows.append(
            Series(
                campaign=campaign, kernel=kernels[path], metric=metric, repetitions=repetitions,
                values=values.ravel().tolist(),
            )
        )  # fmt: skip
    Series.objects.bulk_create(rows)
    campaign.kernel_count = len(laws)
    campaign.value_count = len(laws) * len(campaign.points) * repetitions
    campaign.save()
