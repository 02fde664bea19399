"""Laws are fitted with the roles that the campaign's parameters have."""

import numpy as np
import pytest

from modeling.engine import DEFAULT_MODELER, fit
from modeling.models import ModelRun
from modeling.services.models.runs import run_execute
from modeling.storage.arrays import models_load, series_load
from tests.factories import make_application, make_campaign
from tests.measured import measure

pytestmark = pytest.mark.django_db

LAWS = {f"kernel{number}": (0.5, []) for number in range(12)}
FAR = np.array([[4096.0, 4096.0]])


@pytest.mark.parametrize(("role", "processes"), [("processes", (0,)), ("other", ())])
def test_it_works(role: str, processes: tuple[int, ...]) -> None:
    application = make_application()
    application.parameters.filter(name="p").update(role=role)
    campaign = make_campaign(application, "1.0")
    measure(campaign, LAWS, noise=0.8, repetitions=3)
    run = ModelRun.objects.create(campaign=campaign, modeler=DEFAULT_MODELER)
    run_execute(run)
    rows = list(run.models.order_by("kernel_id"))
    series = series_load(campaign, rows[0].metric_id, [row.kernel_id for row in rows])
    upper = models_load(rows, campaign).interval(FAR)[1][:, 0]
    with_role, without = (
        fit(series.points, series.values, processes=each).interval(FAR)[1][:, 0]
        for each in (processes, tuple({0} - set(processes)))
    )
    assert upper == pytest.approx(with_role, rel=1e-3)
    assert abs(np.log(upper / without)).max() > 0.1
