"""The client delivers uploads to a portal that is killed and restarted meanwhile."""

from tests.benchmarks.portal.client_delivery import run


def test_each_upload_arrives_exactly_once(tmp_path):
    found = run(tmp_path, uploads=8, kills=1)
    assert found["exit code"] == 0
    assert (found["uploads"], found["values"], found["done"]) == (8, 8, 8)
