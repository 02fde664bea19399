"""Store the progress of adapting a network, and stop adapting once the models are no longer wanted."""

import time
from collections.abc import Callable

from django.db.models import Exists, F, OuterRef, Value
from django.db.models.functions import Coalesce

from modeling.models import ModelRun, Portion


class UnwantedError(Exception):
    """The run was cancelled, or its campaign changed or was deleted."""


def followed(portion: Portion) -> Callable[[float], None]:
    """Return a callback that stores the progress of an adaptation.

    The callback raises `UnwantedError` if the portion's models are no longer wanted.
    """
    waits = Portion.objects.filter(pk=portion.pk, run=OuterRef("pk"), state=Portion.State.QUEUED)
    wanted = ModelRun.objects.filter(Exists(waits), campaign__revision=F("revision"), pk=portion.run_id)
    begin = time.perf_counter()

    def follow(share: float) -> None:
        done = share >= 1
        took = Coalesce(F("adapted_seconds"), Value(0.0)) + time.perf_counter() - begin
        changes = {"adapting": None, "adapted_seconds": took} if done else {"adapting": share}
        if not wanted.update(**changes):
            raise UnwantedError

    return follow
