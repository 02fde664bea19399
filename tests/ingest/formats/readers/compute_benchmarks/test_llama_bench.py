"""JSON of llama-bench."""

import json

import pytest

from ingest.formats import FormatError


def llama(prompt, generated, *samples, **more):
    return {
        "build_commit": "2fd4eb17",
        "build_number": 7341,
        "model_type": "qwen3 1.7B",
        "model_size": 1276487680,
        "n_threads": 2,
        "n_prompt": prompt,
        "n_gen": generated,
        "test_time": f"2026-03-28T17:29:{prompt % 60:02}Z",
        "avg_ts": 9.5,
        "samples_ts": list(samples),
        **more,
    }


@pytest.mark.parametrize("written", [json.dumps, lambda tests: "\n".join(map(json.dumps, tests))])
def test_llama_bench_reads_and_writes_tokens(read, written):
    tests = [llama(256, 0, 68.25, 64.5, 65.5), llama(512, 0, 60.5), llama(0, 256, 11.5, 12.5)]
    campaign = read(written(tests))
    assert (campaign.format, campaign.parameters) == ("llama-bench", ("tokens",))
    assert campaign.series["prompt", "rate"].tolist() == [[65.5], [60.5]]
    assert campaign.rounds["prompt", "rate"][0].tolist() == [68.25, 64.5, 65.5]
    assert campaign.series["generation", "rate"][0].tolist() == [12]
    assert campaign.units == {"rate": "tokens/s"}
    assert campaign.metadata["model_type"] == "qwen3 1.7B"
    assert campaign.metadata["n_threads"] == 2


def test_varied_settings_of_llama_bench_are_parameters_or_names(read):
    threads = [llama(256, 0, 10.5 * n, n_threads=n, test_time=str(n)) for n in (1, 2, 4)]
    assert read(threads).parameters == ("tokens", "n_threads")
    campaign = read([llama(256, 64, 20.5), llama(256, 64, 8.5, model_type="qwen3 8B", model_size=5e9)])
    assert [kernel for kernel, _ in campaign.series] == [
        "prompt and generation [model_type=qwen3 1.7B]",
        "prompt and generation [model_type=qwen3 8B]",
    ]


def test_a_test_of_llama_bench_without_samples_is_refused(read):
    with pytest.raises(FormatError, match="found the samples “None”; expected a list of tokens per second"):
        read([llama(256, 0, samples_ts=None)])
