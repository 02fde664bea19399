"""Names of measurements in other languages than English."""

import pytest

from ingest.formats.campaign.languages import in_english
from ingest.formats.campaign.roles import Kind, kind


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("laufzeit [s]", "runtime [s]"),
        ("rechenzeit", "rechen time"),
        ("anzahl prozesse", "number processes"),
        ("prozessanzahl", "number processes"),
        ("threadanzahl", "number threads"),
        ("gittergröße", "grid size"),
        ("gittergroesse", "grid size"),
        ("nombre de nœuds", "number of nodes"),
        ("durée_ms", "time_ms"),
        ("écart-type", "std-type"),
        ("tamaño de la malla", "size of la grid"),
        ("nombre", "name"),
        ("función", "function"),
        ("tempo de execução", "time of run"),
        ("número de processos", "number of processes"),
    ],
)
def test_it_works(name, english):
    assert in_english(name) == english


def test_accents_in_two_characters_are_the_same():
    assert in_english("gro\u0308ße") == in_english("größe") == "size"


@pytest.mark.parametrize("name", ["kernel_time", "nprocs", "naïve", "Temporal", "grosso", "seg", "x"])
def test_other_words_stay(name):
    assert in_english(name) == name


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Anzahl Prozesse", Kind.RANKS),
        ("NombreDeThreads", Kind.THREADS),
        ("hilos", Kind.THREADS),
        ("nœuds", Kind.NODES),
        ("Knotenzahl", Kind.NODES),
        ("Gittergröße", Kind.SIZE),
        ("Tamaño de matriz", Kind.SIZE),
        ("Blockgröße", Kind.OTHER),
    ],
)
def test_parameters_have_their_roles(name, found):
    assert kind(name) == found
