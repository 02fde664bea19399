"""Worker processes have limits on memory and time."""

import subprocess
import sys

import pytest

SCRIPT = """
import resource, sys
import numpy as np
from perfweb.workers.worker_process import MEMORY, confine
confine()
held = np.ones(MEMORY // 16)  # half of it
try:
    more = np.ones(MEMORY // 8)
except MemoryError:
    print("refused")
del held
np.ones(MEMORY // 16)
print("goes on", resource.getrlimit(resource.RLIMIT_AS)[1] == resource.RLIM_INFINITY)
if sys.platform == "linux":
    print(open("/proc/self/oom_score_adj").read().strip())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="macOS bounds no address space")
def test_memory_is_refused_before_it_hurts_and_the_process_goes_on():
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:3] == ["refused", "goes on True", "500"]
