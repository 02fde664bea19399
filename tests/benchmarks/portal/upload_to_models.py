"""Measure the time from the answer 202 until all models are visible.

    python -m tests.benchmarks.portal.upload_to_models [FILE ...]

Limits, on 2 cores: 15 s for 2,000 kernels × 25 points × 5 repetitions, and 5 s for each named FILE.
"""

import sys
import tempfile
import time
from pathlib import Path

from tests import made_campaign
from tests.client import Client
from tests.launcher.portals import Portal, made_token


def main() -> None:
    """Start a portal in an empty folder, and send it campaigns."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        files = [(Path(name), 5.0) for name in sys.argv[1:]]
        files.append((made_campaign.write(Path(place) / "kernels2000.jsonl", 2000), 15.0))
        with Portal(data) as portal:
            client = Client(portal.address(), made_token(data))
            # Wait until the worker has announced itself, as on any portal that has run for a moment.
            warm = made_campaign.write(Path(place) / "warm.jsonl", 2)
            client.wait(client.upload("warm", "1.0", warm)["id"])
            for file, bar in files:
                measure(client, file, bar)


def measure(client: Client, file: Path, bar: float) -> None:
    """Print how long the upload of one file takes, and when its models can be read."""
    sent = time.perf_counter()
    upload = client.upload("bench", file.stem, file)
    answered = time.perf_counter()
    found = client.wait(upload["id"])
    seconds = time.perf_counter() - answered
    models = client.get(found["models"].removeprefix(client.address))
    assert found["state"] == "done", found
    print(
        f"{file.name}: answered after {answered - sent:.2f} s, modelled and readable {seconds:.2f} s later "
        f"(bar {bar:.0f} s), {models.get('count', len(models))} models"
    )


if __name__ == "__main__":
    main()
