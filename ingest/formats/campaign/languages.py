"""Translates words of German, French, Spanish, Italian and Portuguese names into English.

`Laufzeit`, `temps` and `tiempo` are times, `Anzahl Prozesse` and `nombre de processus` are numbers of
processes. All rules for names are about English words, so they hold for translated names, too. Only words of
measurements are translated; names that users see stay as they are.
"""

import re
import unicodedata
from collections.abc import Sequence

_ENGLISH = {
    "time": "zeit dauer temps tiempo tempo duree duracion duracao durata",
    "runtime": "laufzeit",
    "threads": "hilos hilo hebras",
    "processes": (
        "prozesse prozessen prozess processus proceso procesos processo processos processi"
        " prozessoren prozessor processeurs processeur procesadores processadores processori"
    ),
    "nodes": "knoten noeuds noeud nodos nodi",
    "cores": "kerne kernen coeurs coeur nucleos",
    "size": "grosse groesse taille tamano tamanho dimensione dimensioni",
    "grid": "gitter grille malla griglia malha",
    "elements": "elemente elementos elementi",
    "particles": "teilchen partikel particules particulas particelle",
    "cells": "zellen cellules celdas celle celulas",
    "steps": "schritte zeitschritte pasos passi passos etapes",
    "number": "anzahl nombre numero cantidad quantidade",
    "run": "lauf durchlauf durchgang corrida ejecucion execucao esecuzione",
    "trial": "versuch essai prueba prova intento tentativa",
    "repetition": "wiederholung repeticion repeticao ripetizione",
    "iteration": "iteracion iteracao iterazione",
    "measurement": "messung mesure medicion medicao misura",
    "mean": "mittelwert mittel durchschnitt moyenne promedio media",
    "median": "mediane mediana",
    "minimum": "minimo minimale",
    "maximum": "maximo massimo maximale",
    "std": "standardabweichung abweichung ecart desviacion desvio deviazione",
    "variance": "varianz varianza variancia",
    "efficiency": "effizienz efficacite eficiencia efficienza",
    "speedup": "beschleunigung acceleration aceleracion aceleracao accelerazione",
    "memory": "speicher memoire memoria",
    "throughput": "durchsatz debit rendimiento",
    "bandwidth": "bandbreite",
    "latency": "latenz latence latencia latenza",
    "function": "funktion fonction funcion funzione funcao",
    "name": "nom nome",
    "seconds": "sekunden secondes segundos secondi sek",
    "milliseconds": "millisekunden millisecondes milisegundos millisecondi",
    "microseconds": "mikrosekunden microsecondes microsegundos microsecondi",
    "minutes": "minuten minutos minuti",
    "hours": "stunden heures horas",
    "of": "de des du del della di do da von der",
}
"""English word → the words that it translates, in lower case without accents."""
_OF = "of"
_SPANISH_NAME = "nombre"
"""The Spanish word for "name" if it stands alone. Before other words, it is the French one for "number"."""
_COUNTS = frozenset(["number", "num", "nr", "no", "count"])
"""Words before "of" that say only that the words after it are counted."""
_TRANSLATED = {word: english for english, words in _ENGLISH.items() for word in words.split()}
_COMPOUND = re.compile(r"(?P<first>\w{3,40}?)(?P<last>zeit|dauer|grosse|groesse)n?")
_COUNTED = re.compile(r"(?P<counted>\w{3,40}?)(?:anzahl|zahl)")
_PLURALS = ("", "e", "en", "n")
"""Endings of German plurals, which compounds lack: Prozessanzahl."""
_WORD = re.compile(r"[^\W\d_]+")
_LIGATURES = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae"})


def in_english(name: str) -> str:
    """Return a name in lower case with its known words in English. All other characters stay as they are.

    German compounds become several words: `gittergröße` → grid size, `prozessanzahl` → number processes.
    """
    if name.strip() == _SPANISH_NAME:
        return "name"
    return _WORD.sub(lambda found: _translated(found[0]), unicodedata.normalize("NFC", name))


def head_last(words: Sequence[str]) -> Sequence[str]:
    """Return a name's words with the quantity at the end: size of matrix → matrix, size."""
    place = words.index(_OF) if _OF in words[1:-1] else 0
    if not place or words[place - 1] in _COUNTS or words[place + 1].isdecimal():  # block of 4
        return words
    return [*words[place + 1 :], *words[:place]]


def _translated(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.translate(_LIGATURES))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    if known := _TRANSLATED.get(plain):
        return known
    if compound := _COMPOUND.fullmatch(plain):
        first = compound["first"]
        return f"{_TRANSLATED.get(first, first)} {_TRANSLATED[compound['last']]}"
    if found := _COUNTED.fullmatch(plain):
        counted = found["counted"]
        plurals = (_TRANSLATED[counted + end] for end in _PLURALS if counted + end in _TRANSLATED)
        return f"number {next(plurals, counted.removesuffix('s') + 's')}"
    return word
