"""What the doctor says, in English and Italian: what is wrong, and behind it what to do.

A key with `-do` is the advice to the finding of that key. The blanks are the findings' facts, and
`{days:day|days}` a number with its noun.
"""

from __future__ import annotations

from collections.abc import Mapping

from daemon.doctor import broker_words
from daemon.doctor.findings import Finding
from daemon.spoken import Count, reason

Words = Mapping[str, str]

# fmt: off
ENGLISH: Words = broker_words.ENGLISH | {
    "ok": "ok", "note": "note", "warning": "warning", "wrong": "WRONG", "do": "do",
    "config": "configuration", "sensor": "sensor", "broker": "broker", "clock": "clock",
    "journal": "journal", "deck": "deck", "secret": "secret", "daemon": "daemon",
    "doctor": "doctor", "table": "table {table} ({site})",
    "all-well": "All is well ({warnings:warning|warnings}).",
    "not-well": "{wrong} wrong, {warnings:warning|warnings}.",

    "config-ok": "usable: {sensors:sensor|sensors}, {decks:deck|decks}, rulebook {rulebook}",
    "floor-ok": "usable: the floor of {sites}, its screens at {place}",
    "remark-numbered": "{where}: {port} may be another device after a start",
    "remark-numbered-do": "Name it as /dev/serial/by-id or by-path, /dev/input/by-id does.",
    "remark-unlent": "{where}: {driver} tells too few tags apart for {place}",
    "remark-unlent-do": "What happens there is not judged: fit another reader.",
    "late": "no result within {seconds} s",
    "late-do": "Ask again; if it stays so, what is looked at there hangs.",
    "not-root": "asked without root: another user's programs on a port cannot be seen",

    "port-missing": "{port} is not there",
    "port-missing-do": "Plug it in, or give in the configuration one of: {there}",
    "port-unplugged": "{port} leads nowhere: unplugged",
    "port-unplugged-do": "Plug it in, or give in the configuration one of: {there}",
    "port-missing-alone": "{port} is not there, and no other serial port is",
    "port-missing-alone-do": "Plug it in; the kernel's messages (dmesg) tell whether it is seen.",
    "port-unplugged-alone": "{port} leads nowhere: unplugged",
    "port-unplugged-alone-do": "Plug it in; the kernel's messages (dmesg) tell if it is seen.",
    "port-unreachable": "{port} cannot be looked at: {reason}",
    "port-unreachable-do": "Ask as root, or as the daemon's user.",
    "port-no-tty": "{port} is not a serial port",
    "port-no-tty-do": "Give the device's own path, best one below /dev/serial/by-id.",
    "port-getty": "a login prompt sits on {port} and steals its bytes ({who})",
    "port-getty-do": "systemctl disable --now serial-getty@{tty}.service getty@{tty}.service",
    "port-console": "{port} is the kernel's console: its messages go to the device",
    "port-console-do": "Take console=... of this port out of the kernel's command line "
                       "(/boot/firmware/cmdline.txt, or GRUB) and start the machine anew.",
    "port-closed": "{user} may not open {port}: group {group} may",
    "port-closed-do": "usermod -aG {group} {user}, then log in anew or restart the daemon.",
    "port-log-in-again": "{user} is in group {group}, but was not when this session began",
    "port-log-in-again-do": "Log in anew, or restart the daemon.",
    "port-busy": "{port} is held by another program ({who})",
    "port-busy-do": "End that program: only one may have the port.",
    "port-ours": "{port} is held by a floorcall that does not watch this table ({who})",
    "port-ours-do": "Two configurations name this port, or a sniff still runs: end one.",
    "port-slow": "{tty} holds bytes back for {ms} ms",
    "port-slow-do": "Install systemd/60-floorcall.rules, or write 1 to "
                    "/sys/bus/usb-serial/devices/{tty}/latency_timer",

    "reader-ok": "answers at {baud} baud: {model}",
    "reader-answers": "answers at {baud} baud",
    "reader-port": "{port} cannot be opened: {reason}",
    "reader-port-do": "See that the device, or the serial bridge, is on and reached by this path.",
    "reader-echo": "{port} gives back what is said to it, and nothing else",
    "reader-echo-do": "Transmit and receive are joined: see to the cable, or the echo switch.",
    "reader-other-baud": "answers at {other} baud; {driver} is spoken at {baud}",
    "reader-other-baud-do": "Set the device to {baud} baud with its maker's program.",
    "reader-garbled": "what comes makes no sense as {driver}: {garbled}",
    "reader-garbled-do": "See that the driver is this device's, and look at speed and cable.",
    "reader-silent": "{driver} on {port} does not answer",
    "reader-silent-do": "See to its power, that transmit and receive are not crossed wrongly, "
                        "and that the device is set to this interface.",
    "reader-uncalled": "the device that is to call {port} has not called",
    "reader-uncalled-do": "See that it is on, that it has this address as its host, and to the "
                          "firewall.",
    "reader-quiet": "nothing came from {port}: such a device speaks only when it has news",
    "reader-quiet-do": "Lay a tag on it, or use it, while you ask again.",
    "antennas-read": "a tag lies on {antennas}",
    "antennas-unread": "no tag on {antennas}",
    "antennas-unread-do": "If cards lie there the antenna is deaf; else lay a card on each and "
                          "ask again.",
    "tags-unknown": "of no deck of this configuration: {count:tag|tags}",
    "tags-unknown-do": "Take them away, or enrol the deck that they belong to.",

    "daemon-runs": "watches this table ({who}): the ports are left alone, it is asked instead",
    "daemon-off": "runs ({who}), but no broker has its status",
    "daemon-off-do": "Its log says why; to try the ports themselves, stop it and ask again.",
    "daemon-says-off": "runs ({who}), but its status says offline",
    "daemon-says-off-do": "It has no broker now; its log says why.",
    "daemon-trouble": "says: {trouble}",
    "daemon-trouble-do": "Its log says more; docs/topics.md tells what the words mean.",
    "daemon-reads": "is read by the daemon",
    "daemon-lost": "the daemon says: {trouble}",
    "daemon-lost-do": "See to the device and its cable; stop the daemon and ask again for more.",
    "daemon-seats": "says that a reader at the seats is silent, and not which",
    "daemon-seats-do": "The log on this machine names it: journalctl -u floorcall-table@{unit}",
    "daemon-seat": "may be the one at the seats that is silent, says the daemon",
    "daemon-seat-do": "The log on this machine names it: journalctl -u floorcall-table@{unit}",
    "daemon-unknown": "is the daemon's: without its status nothing can be told of it",

    "clock-ok": "{now}, kept right by another clock",
    "clock-unsynchronised": "{now}, and nothing keeps it right",
    "clock-unsynchronised-do": "timedatectl set-ntp true, or see to chrony, and to the network.",
    "clock-unknown": "{now}; whether something keeps it right cannot be told",
    "clock-year": "it is not {now}",
    "clock-year-do": "Set the clock before the daemon starts: alerts and journals carry its time.",
    "clock-journal-ahead": "{journal} is of a time to come: the clock was ahead once",
    "clock-journal-ahead-do": "Move it out of {folder}: as the youngest, every restart looks at "
                              "it and begins a new one.",

    "folder-ok": "{folder} takes what is written ({ms} ms to the disk)",
    "folder-slow": "{folder}: it took {ms} ms to bring 4 kB to the disk",
    "folder-slow-do": "A worn card, or a busy disk: look at the kernel's messages.",
    "folder-to-come": "{folder} is not there yet: the daemon will make it",
    "folder-impossible": "{folder} cannot be made: {above} takes nothing from this user",
    "folder-impossible-do": "Give folder in [journal], or ask as root or as the daemon's user.",
    "folder-unreadable": "{folder} cannot be looked at: {reason}",
    "folder-unreadable-do": "Ask as root, or as the daemon's user.",
    "folder-no-folder": "{folder} is no folder",
    "folder-no-folder-do": "Move it away: the journal's folder must be there.",
    "folder-unwritable": "{folder} takes nothing: {reason}",
    "folder-unwritable-do": "Make room, or see to its owner and to the disk: without it no hand "
                            "can be proved and none gone on with.",
    "folder-open": "others may look into {folder}: journals hold every card",
    "folder-open-do": "chmod 700 {folder}",
    "disk-ok": "{mb} MB are free",
    "disk-low": "only {mb} MB are free: about a week",
    "disk-low-do": "Move old journals away.",
    "disk-full": "only {mb} MB are free",
    "disk-full-do": "Move old journals away now: beyond 8 MB in memory lines are lost.",
    "disk-no-inodes": "the disk can take no more files",
    "disk-no-inodes-do": "Delete what is not needed: many small files fill it.",

    "deck-ok": "{count:tag|tags} ({kinds}), {path}, {days:day|days} old",
    "deck-old": "{count:tag|tags} ({kinds}), {path}, {days:day|days} old: {most} are the most",
    "deck-old-do": "Cards wear out: put in a new deck and enrol it, floorcall deck enrol.",
    "deck-open": "everybody on this machine may read {path}: with a reader, any card",
    "deck-open-do": "chmod 640 {path}; chown root:floorcall {path}",
    "deck-example": "{path} is the example that ships with the program: nobody's cards",
    "deck-example-do": "Enrol the decks of this table and name their files in [decks].",
    "secret-open": "everybody on this machine may read {path}",
    "secret-open-do": "chmod 640 {path}; chown root:floorcall {path}",
}
ITALIAN: Words = broker_words.ITALIAN | {
    "ok": "ok", "note": "nota", "warning": "avviso", "wrong": "GUASTO", "do": "rimedio",
    "config": "configurazione", "sensor": "sensore", "broker": "broker", "clock": "orologio",
    "journal": "giornale", "deck": "mazzo", "secret": "segreto", "daemon": "demone",
    "doctor": "doctor", "table": "tavolo {table} ({site})",
    "all-well": "Tutto a posto ({warnings:avviso|avvisi}).",
    "not-well": "{wrong:guasto|guasti}, {warnings:avviso|avvisi}.",

    "config-ok": "utilizzabile: {sensors:sensore|sensori}, {decks:mazzo|mazzi}, "
                 "regolamento {rulebook}",
    "floor-ok": "utilizzabile: la sala di {sites}, gli schermi su {place}",
    "remark-numbered": "{where}: {port} può essere un altro dispositivo dopo un avvio",
    "remark-numbered-do": "Nominarla come fa /dev/serial/by-id o by-path, o /dev/input/by-id.",
    "remark-unlent": "{where}: {driver} distingue troppo pochi tag per {place}",
    "remark-unlent-do": "Ciò che accade lì non si giudica: montare un altro lettore.",
    "late": "nessun risultato entro {seconds} s",
    "late-do": "Chiedere di nuovo; se resta così, ciò che si guarda lì è bloccato.",
    "not-root": "chiesto senza root: i programmi di altri utenti su una porta non si vedono",

    "port-missing": "{port} non c'è",
    "port-missing-do": "Collegarlo, o indicare nella configurazione uno di: {there}",
    "port-unplugged": "{port} non porta a nulla: scollegato",
    "port-unplugged-do": "Collegarlo, o indicare nella configurazione uno di: {there}",
    "port-missing-alone": "{port} non c'è, né alcun'altra porta seriale",
    "port-missing-alone-do": "Collegarlo; i messaggi del kernel (dmesg) dicono se lo si vede.",
    "port-unplugged-alone": "{port} non porta a nulla: scollegato",
    "port-unplugged-alone-do": "Collegarlo; i messaggi del kernel (dmesg) dicono se lo si vede.",
    "port-unreachable": "{port} non si può guardare: {reason}",
    "port-unreachable-do": "Chiedere come root, o come utente del demone.",
    "port-no-tty": "{port} non è una porta seriale",
    "port-no-tty-do": "Indicare il percorso del dispositivo, meglio sotto /dev/serial/by-id.",
    "port-getty": "un login sta su {port} e ne ruba i byte ({who})",
    "port-getty-do": "systemctl disable --now serial-getty@{tty}.service getty@{tty}.service",
    "port-console": "{port} è la console del kernel: i suoi messaggi vanno al dispositivo",
    "port-console-do": "Togliere console=... di questa porta dalla riga di comando del kernel "
                       "(/boot/firmware/cmdline.txt, o GRUB) e riavviare la macchina.",
    "port-closed": "{user} non può aprire {port}: il gruppo {group} può",
    "port-closed-do": "usermod -aG {group} {user}, poi rientrare o riavviare il demone.",
    "port-log-in-again": "{user} è nel gruppo {group}, ma non lo era all'inizio della sessione",
    "port-log-in-again-do": "Rientrare, o riavviare il demone.",
    "port-busy": "{port} è occupata da un altro programma ({who})",
    "port-busy-do": "Chiudere quel programma: la porta può averla uno solo.",
    "port-ours": "{port} è di un floorcall che non sorveglia questo tavolo ({who})",
    "port-ours-do": "Due configurazioni nominano la porta, o uno sniff gira ancora: chiuderne uno.",
    "port-slow": "{tty} trattiene i byte per {ms} ms",
    "port-slow-do": "Installare systemd/60-floorcall.rules, o scrivere 1 in "
                    "/sys/bus/usb-serial/devices/{tty}/latency_timer",

    "reader-ok": "risponde a {baud} baud: {model}",
    "reader-answers": "risponde a {baud} baud",
    "reader-port": "{port} non si apre: {reason}",
    "reader-port-do": "Verificare che il dispositivo, o il ponte seriale, sia acceso e stia lì.",
    "reader-echo": "{port} restituisce ciò che le si dice, e nient'altro",
    "reader-echo-do": "Trasmissione e ricezione sono unite: guardare il cavo, o l'eco.",
    "reader-other-baud": "risponde a {other} baud; {driver} si parla a {baud}",
    "reader-other-baud-do": "Impostare il dispositivo a {baud} baud col programma del produttore.",
    "reader-garbled": "ciò che arriva non ha senso come {driver}: {garbled}",
    "reader-garbled-do": "Verificare che il driver sia quello giusto; guardare velocità e cavo.",
    "reader-silent": "{driver} su {port} non risponde",
    "reader-silent-do": "Guardare l'alimentazione, che trasmissione e ricezione non siano "
                        "scambiate, e che il dispositivo usi questa interfaccia.",
    "reader-uncalled": "il dispositivo che deve chiamare {port} non ha chiamato",
    "reader-uncalled-do": "Verificare che sia acceso, che abbia quest'indirizzo come host, e il "
                          "firewall.",
    "reader-quiet": "nulla da {port}: un tale dispositivo parla solo se ha novità",
    "reader-quiet-do": "Posarvi un tag, o usarlo, mentre si chiede di nuovo.",
    "antennas-read": "c'è un tag su {antennas}",
    "antennas-unread": "nessun tag su {antennas}",
    "antennas-unread-do": "Se lì ci sono carte l'antenna è sorda; altrimenti posarne una su "
                          "ciascuna e chiedere di nuovo.",
    "tags-unknown": "di nessun mazzo di questa configurazione: {count} tag",
    "tags-unknown-do": "Toglierli, o registrare il mazzo a cui appartengono.",

    "daemon-runs": "sorveglia questo tavolo ({who}): le porte si lasciano stare, si chiede a lui",
    "daemon-off": "gira ({who}), ma nessun broker ha il suo stato",
    "daemon-off-do": "Il log dice perché; per provare le porte, fermarlo e chiedere di nuovo.",
    "daemon-says-off": "gira ({who}), ma il suo stato dice offline",
    "daemon-says-off-do": "Ora non ha un broker; il log dice perché.",
    "daemon-trouble": "dice: {trouble}",
    "daemon-trouble-do": "Il log dice di più; docs/topics.md spiega le parole.",
    "daemon-reads": "è letto dal demone",
    "daemon-lost": "il demone dice: {trouble}",
    "daemon-lost-do": "Guardare dispositivo e cavo; per saperne di più fermare il demone.",
    "daemon-seats": "dice che un lettore ai posti tace, e non quale",
    "daemon-seats-do": "Lo nomina il log di questa macchina: journalctl -u floorcall-table@{unit}",
    "daemon-seat": "secondo il demone può essere quello ai posti che tace",
    "daemon-seat-do": "Lo nomina il log di questa macchina: journalctl -u floorcall-table@{unit}",
    "daemon-unknown": "è del demone: senza il suo stato non se ne può dire nulla",

    "clock-ok": "{now}, tenuto giusto da un altro orologio",
    "clock-unsynchronised": "{now}, e nulla lo tiene giusto",
    "clock-unsynchronised-do": "timedatectl set-ntp true, o guardare chrony, e la rete.",
    "clock-unknown": "{now}; se qualcosa lo tenga giusto non si può dire",
    "clock-year": "non è il {now}",
    "clock-year-do": "Regolare l'orologio prima di avviare il demone: allarmi e giornali ne "
                     "portano l'ora.",
    "clock-journal-ahead": "{journal} è di un tempo futuro: l'orologio è stato avanti",
    "clock-journal-ahead-do": "Toglierlo da {folder}: essendo il più giovane, ogni riavvio lo "
                              "guarda e ne comincia uno nuovo.",

    "folder-ok": "{folder} accetta ciò che si scrive ({ms} ms fino al disco)",
    "folder-slow": "{folder}: {ms} ms per portare 4 kB al disco",
    "folder-slow-do": "Una scheda consumata, o un disco occupato: guardare i messaggi del kernel.",
    "folder-to-come": "{folder} non c'è ancora: lo farà il demone",
    "folder-impossible": "{folder} non si può creare: {above} non accetta nulla da questo utente",
    "folder-impossible-do": "Indicare folder in [journal], o chiedere come root o come utente "
                            "del demone.",
    "folder-unreadable": "{folder} non si può guardare: {reason}",
    "folder-unreadable-do": "Chiedere come root, o come utente del demone.",
    "folder-no-folder": "{folder} non è una cartella",
    "folder-no-folder-do": "Spostarlo: lì deve stare la cartella del giornale.",
    "folder-unwritable": "{folder} non accetta nulla: {reason}",
    "folder-unwritable-do": "Fare spazio, o guardare il proprietario e il disco: senza, nessuna "
                            "mano si può provare né riprendere.",
    "folder-open": "altri possono guardare in {folder}: i giornali contengono ogni carta",
    "folder-open-do": "chmod 700 {folder}",
    "disk-ok": "{mb} MB liberi",
    "disk-low": "solo {mb} MB liberi: circa una settimana",
    "disk-low-do": "Portare via i vecchi giornali.",
    "disk-full": "solo {mb} MB liberi",
    "disk-full-do": "Portare via subito i vecchi giornali: oltre 8 MB in memoria si perdono righe.",
    "disk-no-inodes": "il disco non accetta altri file",
    "disk-no-inodes-do": "Cancellare ciò che non serve: lo riempiono molti piccoli file.",

    "deck-ok": "{count} tag ({kinds}), {path}, vecchio di {days:giorno|giorni}",
    "deck-old": "{count} tag ({kinds}), {path}, vecchio di {days:giorno|giorni}: al massimo {most}",
    "deck-old-do": "Le carte si consumano: un mazzo nuovo, e registrarlo: floorcall deck enrol.",
    "deck-open": "chiunque su questa macchina può leggere {path}: con un lettore, ogni carta",
    "deck-open-do": "chmod 640 {path}; chown root:floorcall {path}",
    "deck-example": "{path} è l'esempio fornito col programma: non sono carte di nessuno",
    "deck-example-do": "Registrare i mazzi di questo tavolo e nominarne i file in [decks].",
    "secret-open": "chiunque su questa macchina può leggere {path}",
    "secret-open-do": "chmod 640 {path}; chown root:floorcall {path}",
}
# fmt: on
LANGUAGES: Mapping[str, Words] = {"en": ENGLISH, "it": ITALIAN}


def said(finding: Finding, language: str) -> tuple[str, str | None]:
    """What was found, and what to do about it, None where nothing is."""
    words = LANGUAGES[language]
    facts = {name: _fact(name, fact, language) for name, fact in finding.facts.items()}
    advice = words.get(f"{finding.what}-do")
    what = words[finding.what].format(**facts)
    return what, None if advice is None else advice.format(**facts)


def counted(word: str, language: str, **numbers: int) -> str:
    """The phrase of this word, its numbers with their nouns."""
    return LANGUAGES[language][word].format(**{key: Count(n) for key, n in numbers.items()})


def _fact(name: str, fact: object, language: str) -> object:
    match fact:
        case int():
            return Count(fact)
        case str() if name == "reason":
            return reason(fact, language)
        case str() if name == "trouble":  # `sensor felt: hung up`
            whose, colon, why = fact.rpartition(": ")
            return f"{whose}{colon}{reason(why, language)}"
        case dict():  # kinds of garbled bytes, and how often
            return ", ".join(f"{reason(kind, language)} {n}" for kind, n in sorted(fact.items()))
        case _:
            return fact


def heading(finding: Finding, words: Words) -> str:
    """The part it is about."""
    return f"{words[finding.part]} {finding.name}".rstrip()
