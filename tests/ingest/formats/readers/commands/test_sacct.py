"""Slurm's accounting as a table with bars."""

import pytest

from ingest.formats import FormatError

NAMES = "JobID|JobName|NNodes|NTasks|AllocCPUS|AllocTRES|Elapsed|TotalCPU|MaxRSS|State|NodeList|Start"


def job(number, nodes, elapsed="00:10:00", state="COMPLETED"):
    """Return the rows of a job with three steps, the last of which the script launched."""
    cpus, resources = 48 * nodes, f"billing=1,gres/gpu={4 * nodes},node={nodes}"
    tail = f"{state}|node[1-{nodes}]|2026-01-15T19:33:36"
    return "\n".join(
        [
            f"{number}|lulesh|{nodes}||{cpus}|{resources}|{elapsed}|1-02:00:00||{tail}",
            f"{number}.batch|batch|1|1|48|cpu=48|{elapsed}|00:00.012|1488K|{tail}",
            f"{number}.extern|extern|{nodes}|{nodes}|{cpus}||{elapsed}|00:00:00|0|{tail}",
            f"{number}.0|lulesh2.0|{nodes}|{cpus}|{cpus}||00:09:30|1-01:59:00|{nodes}.5M|{tail}",
        ]
    )


def table(*jobs):
    return "\n".join([NAMES, *jobs, ""])


def test_it_works(read):
    campaign = read(table(*(job(100 + n, n) for n in (1, 2, 4)), job(200, 4, "00:11:00")))
    assert campaign.format == "sacct"
    assert campaign.parameters == ("NNodes", "NTasks", "AllocCPUS", "GPUs")
    assert campaign.points.tolist() == [[n, 48 * n, 48 * n, 4 * n] for n in (1, 2, 4)]
    assert set(campaign.series) == {
        (kernel, metric)
        for kernel in ("lulesh", "lulesh->lulesh2.0")
        for metric in ("Elapsed", "TotalCPU", "MaxRSS")
    }
    assert campaign.series["lulesh", "Elapsed"][2].tolist() == [600, 660]
    assert campaign.series["lulesh->lulesh2.0", "Elapsed"][2].tolist() == [570, 570]
    assert campaign.series["lulesh", "TotalCPU"][0, 0] == 26 * 3600
    assert campaign.series["lulesh", "MaxRSS"][:, 0].tolist() == [n * 2**20 + 2**19 for n in (1, 2, 4)]
    assert campaign.units == {"Elapsed": "s", "TotalCPU": "s", "MaxRSS": "B"}
    first = campaign.origins.known[0]
    assert (first.job, first.node, first.day) == ("101", "node[1-1]", "2026-01-15")


@pytest.mark.parametrize("state", ["FAILED", "CANCELLED by 1000", "TIMEOUT", "OUT_OF_MEMORY", "RUNNING"])
def test_jobs_that_did_not_complete_are_left_out(read, state):
    campaign = read(table(job(1, 1), job(2, 2, state=state)))
    assert campaign.points[:, 0].tolist() == [1]
    assert campaign.notes[0] == "4 jobs and steps that did not complete were left out"


def test_a_table_may_have_few_columns_and_a_bar_at_the_end(read):
    campaign = read("JobID|JobName|NCPUS|ElapsedRaw|\n7|solve|8|90|\n8|solve|16|50|\n9_1|solve|16|52|\n")
    assert (campaign.parameters, campaign.points.tolist()) == (("NCPUS",), [[8], [16]])
    assert campaign.series["solve", "Elapsed"][1].tolist() == [50, 52]


def test_a_table_may_have_only_steps(read):
    campaign = read("JobID|JobName|NTasks|Elapsed\n7.batch|batch|1|00:01:30\n7.0|solve|8|00:01:20\n")
    assert (campaign.parameters, list(campaign.series)) == (("NTasks",), [("solve", "Elapsed")])


def test_energy_is_read(read):
    campaign = read("JobID|JobName|NNodes|ElapsedRaw|ConsumedEnergyRaw\n7|solve|2|90|3774906\n")
    assert campaign.series["solve", "ConsumedEnergy"].item() == 3774906
    assert campaign.units["ConsumedEnergy"] == "J"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (table(job(1, 1, "soon")), "line 2: found the time “soon”; expected a time such as 1-02:03:04"),
        (table("7|lulesh|1"), "line 2: found a row of 3 cells; expected 12 cells"),
        (table(), "no results"),
        (table(job(1, 1, state="FAILED")), "no results"),
    ],
)
def test_wrong_tables_are_refused(read, text, message):
    with pytest.raises(FormatError, match=message):
        read(text)
