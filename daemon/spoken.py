"""Words that several commands speak: numbers with their nouns, and reasons of the world's.

A reason comes in English, from the port, the kernel or a broker; where a language has it, it is
said in that one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping


class Count(int):
    """A number that takes its noun as a format: `f"{Count(1):hand|hands}"` is `1 hand`."""

    def __format__(self, nouns: str) -> str:
        one, mark, many = nouns.partition("|")
        return f"{int(self)} {one if self == 1 else many}" if mark else format(int(self), nouns)


# fmt: off
ITALIAN: Mapping[str, str] = {
    # of ports: drivers.port.reasons
    "missing": "manca",
    "busy: something else has it open": "occupata da un altro programma",
    "no permission": "nessun permesso",
    "hung up": "ha chiuso la linea", "silent": "tace", "takes no bytes": "non accetta byte",
    "has not called yet": "non ha ancora chiamato", "has called anew": "ha richiamato",
    "not a serial port": "non è una porta seriale",
    "address in use: something else listens there":
        "indirizzo in uso: vi ascolta un altro programma",
    "not an address of this machine": "non è un indirizzo di questa macchina",
    "no keyboard: no digits or no Enter on it": "non è una tastiera: non ha cifre o Invio",
    "keyboards can be read on a 64-bit system only":
        "le tastiere si leggono solo su un sistema a 64 bit",
    "connection refused": "connessione rifiutata", "no way to the host": "host irraggiungibile",
    "no answer": "nessuna risposta", "too many open files": "troppi file aperti",
    "host name not found": "nome dell'host non trovato",
    "address not understood": "indirizzo incomprensibile", "cannot be opened": "non si apre",
    # of files and of brokers
    "timed out": "tempo scaduto", "no route to host": "host irraggiungibile",
    "network is unreachable": "rete irraggiungibile", "permission denied": "permesso negato",
    "read-only file system": "file system in sola lettura",
    "no space left on device": "niente più spazio sul disco",
    "file too large": "file troppo grande",
    "not authorized": "non autorizzato", "bad user name or password": "utente o password errati",
    "bad username or password": "utente o password errati",
    # of bytes without sense: the drivers
    "bad sum": "somma errata", "stray bytes": "byte sparsi", "cut short": "troncati",
    "cut line": "righe troncate", "too long": "troppo lunghi", "noise": "rumore",
    "bad line": "righe errate", "bad field": "campi errati",
}
# fmt: on
_FOLDED = {english.casefold(): italian for english, italian in ITALIAN.items()}
_GROUP = re.compile(r"no permission: only group (\S+) may open it")


def reason(said: str, language: str) -> str:
    """A reason in this language, as it came where the language has no words for it."""
    if language != "it":
        return said
    if match := _GROUP.fullmatch(said):
        return f"nessun permesso: può aprirla solo il gruppo {match[1]}"
    return _FOLDED.get(said.casefold(), said)
