"""Tables whose headings are in other languages than English."""

import pytest

from ingest.formats import FormatError
from ingest.formats.table.headings import heading


@pytest.mark.parametrize(
    ("header", "parameters", "metric", "unit"),
    [
        ("Anzahl Prozesse,Gittergröße,Laufzeit [s]", ("Anzahl Prozesse", "Gittergröße"), "Laufzeit", "s"),
        ("nœuds,taille du problème,durée (ms)", ("nœuds", "taille du problème"), "durée", "ms"),
        ("hilos,Tamaño de Matriz,Tiempo (segundos)", ("hilos", "Tamaño de Matriz"), "Tiempo", "seconds"),
        ("processi,dimensione griglia,tempo [sec.]", ("processi", "dimensione griglia"), "tempo", "sec"),
    ],
)
def test_names_decide_what_columns_are(read, header, parameters, metric, unit):
    rows = [f"{p},{n},{n * 10 // p}" for p in (1, 2, 4) for n in (100, 200)]  # nothing but names tells
    campaign = read(header, *rows)
    assert (campaign.parameters, campaign.units) == (parameters, {metric: unit})
    assert {found for _, found in campaign.series} == {metric}
    assert campaign.notes == ()


def test_statistics_and_runs_are_known(read):
    campaign = read("Prozesse;Mittelwert;Standardabweichung", "1;4,5;0,1", "2;2,5;0,2")
    assert campaign.series["main", "Mittelwert"].tolist() == [[4.5], [2.5]]
    campaign = read("NombreDeThreads,Essai1,Essai2", "1,4.5,4.25", "2,2.5,2.25")
    assert campaign.series["main", "time"].tolist() == [[4.5, 4.25], [2.5, 2.25]]


def test_the_head_of_a_name_stands_before_of(read):
    campaign = read("size of matrix,cost of solve", "100,7", "200,9")
    assert campaign.parameters == ("size of matrix",)


def test_a_name_behind_several_metrics_describes_each_of_them(read):
    campaign = read("n,CPU Time,Noise,GPU Time,Noise", "8,4.5,0.5,2.5,0.25", "16,9.5,0.75,4.5,0.5")
    assert [metric for _, metric in campaign.series] == ["CPU Time", "GPU Time"]
    assert campaign.notes[0].startswith("the columns Noise of CPU Time, Noise of GPU Time were left out: ")
    with pytest.raises(FormatError, match="two columns with the name “Noise”"):
        read("n,Noise,CPU Time,m,Noise", "8,0.5,4.5,1,0.5")


@pytest.mark.parametrize("name", ["ms/step", "time/iteration", "us / call", "Time/Step [ms]", "s/iter"])
def test_a_time_for_each_step_is_measured(name):
    assert heading(name).measured is True


@pytest.mark.parametrize("name", ["steps", "kernel/ranks", "cells/rank"])
def test_other_quotients_are_no_times(name):
    assert heading(name).measured is not True


def test_memory_and_collections_of_benchmark_dotnet_are_metrics(read):
    campaign = read(
        "Method;Job;Size;Mean;Error;StdDev;Gen0;Allocated",
        "Sort;DefaultJob;1000;12.34 us;0.12 us;0.11 us;0.5;1.2 KB",
        "Sort;DefaultJob;10000;150.3 us;1.2 us;1.1 us;5.5;12 KB",
    )
    assert campaign.parameters == ("Size",)
    assert [metric for _, metric in campaign.series] == ["Mean", "Gen0", "Allocated"]
    assert campaign.units == {"Mean": "us", "Allocated": "KB"}
