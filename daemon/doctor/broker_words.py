"""What the doctor says of brokers, in English and Italian; `words` tells what the keys mean."""

from __future__ import annotations

# fmt: off
ENGLISH: dict[str, str] = {
    "broker-ok": "{host}:{port} takes us as {user} with MQTT {version}, and our words come back",
    "broker-name": "the name {host} is not found",
    "broker-name-do": "See that it is spelt right, and to the machine's DNS or /etc/hosts.",
    "broker-tcp": "{host}:{port} takes no connection: {reason}",
    "broker-tcp-do": "See that the broker runs and listens there, and to the firewall.",
    "broker-tls": "no TLS with {host}:{port}: {reason}",
    "broker-tls-do": "Is it the broker's TLS port? mqtt:// is for a port without.",
    "broker-certificate": "the certificate of {host} is not to be trusted: {reason}",
    "broker-certificate-do": "Give the house's own authority with ca in [broker]; the name in "
                             "the URL must be the certificate's.",
    "broker-certificate-ends": "the certificate of {host} ends in {days:day|days}",
    "broker-certificate-ends-do": "Renew it: from that day on no table reaches the floor.",
    "broker-silent": "{host}:{port} does not answer as a broker: {reason}",
    "broker-silent-do": "Is it the broker's port? mqtts:// is for one with TLS.",
    "broker-login": "{host} does not let {user} in: {reason}",
    "broker-login-do": "See to username and password_file in [broker] and to the broker's own "
                       "list; mosquitto reads it anew on SIGHUP only.",
    "broker-read": "{host} does not let {user} read {topic} and {status}",
    "broker-read-do": "The broker's access rules must let the table read these: "
                      "config/mosquitto/floorcall.acl",
    "broker-write": "{host} does not let {user} write its own topics: {reason}",
    "broker-write-do": "The broker's access rules know a table by its user name: it must be the "
                       "table's. config/mosquitto/floorcall.acl",
    "broker-echo": "{host} confirms what {user} publishes, and it does not come back",
    "broker-echo-do": "Its access rules refuse it in silence: they must let the table write and "
                      "read its own topics. config/mosquitto/floorcall.acl",
    "broker-file": "{field} in [broker] {reason}",
    "broker-file-do": "floorcall check tells more; the daemon's user must be able to read it.",

    "tls-broker-ended": "the certificate of {host} has ended",
    "tls-broker-ended-do": "Renew it at the broker, and send mosquitto a SIGHUP.",
    "tls-broker-early": "the certificate of {host} does not hold yet",
    "tls-broker-early-do": "Look at the clocks of both machines.",
    "tls-broker-other": "the certificate of {host} is another host's",
    "tls-broker-other-do": "The name in the URL must be in the certificate: change one of them.",
    "tls-broker-unknown": "the certificate of {host} is not of an authority that is known here",
    "tls-broker-unknown-do": "Give the house's own authority with ca in [broker].",
    "tls-own-missing": "{host} wants a certificate of us",
    "tls-own-missing-do": "Give certificate and key in [broker].",
    "tls-own-ended": "our certificate has ended, says {host}",
    "tls-own-ended-do": "Renew it: docs/operation.md, Certificates.",
    "tls-own-revoked": "our certificate is revoked, says {host}",
    "tls-own-revoked-do": "If that is right, take this machine off; else make a new key and a new "
                          "certificate.",
    "tls-own-unknown": "{host} does not know the authority of our certificate",
    "tls-own-unknown-do": "Both must be of the authority that the broker has as cafile.",
    "tls-own-refused": "{host} does not take our certificate",
    "tls-own-refused-do": "The broker's log says why; it must be one for clients.",
    "tls-too-old": "{host} and we speak no version of TLS in common",
    "tls-too-old-do": "The broker must speak TLS 1.2 or 1.3.",
    "tls-broken-off": "{host}:{port} breaks TLS off",
    "tls-broken-off-do": "Is it the broker's TLS port? It may want a certificate: its log "
                          "says why.",
    "tls-not-spoken": "there is no TLS at {host}:{port}",
    "tls-not-spoken-do": "Is it the broker's TLS port? mqtt:// is for a port without.",

    "remark-overheard": "{where}: what is said to {host} can be read on the way, a password too",
    "remark-overheard-do": "mqtts:// is for a broker on another machine.",
    "remark-unused": "{where} is not used",
    "remark-unused-do": "It is for TLS: no URL begins with mqtts://",
    "remark-unfit": "{where} {reason}",
    "remark-unfit-do": "It has changed since it was checked: ask again.",
    "remark-ends": "{where}: the certificate {name} ends on {day}",
    "remark-ends-do": "Renew it: docs/operation.md, Certificates.",
    "remark-ended": "{where}: the certificate {name} ended on {day}",
    "remark-ended-do": "Renew it: docs/operation.md, Certificates.",
    "remark-begins": "{where}: the certificate {name} does not hold before {day}",
    "remark-begins-do": "Look at the clock.",
    "remark-misnamed": "{where}: it is {name}'s, and this is {table}",
    "remark-misnamed-do": "The rules in config/mosquitto know a table by its certificate's name.",
}
ITALIAN: dict[str, str] = {
    "broker-ok": "{host}:{port} ci accetta come {user} con MQTT {version}, e le parole tornano",
    "broker-name": "il nome {host} non si trova",
    "broker-name-do": "Controllare come è scritto, e il DNS della macchina o /etc/hosts.",
    "broker-tcp": "{host}:{port} non accetta connessioni: {reason}",
    "broker-tcp-do": "Verificare che il broker giri e ascolti lì, e il firewall.",
    "broker-tls": "niente TLS con {host}:{port}: {reason}",
    "broker-tls-do": "È la porta TLS del broker? mqtt:// è per una porta senza.",
    "broker-certificate": "il certificato di {host} non è affidabile: {reason}",
    "broker-certificate-do": "Indicare l'autorità della casa con ca in [broker]; il nome nella "
                             "URL dev'essere quello del certificato.",
    "broker-certificate-ends": "il certificato di {host} scade tra {days:giorno|giorni}",
    "broker-certificate-ends-do": "Rinnovarlo: da quel giorno nessun tavolo raggiunge la sala.",
    "broker-silent": "{host}:{port} non risponde come un broker: {reason}",
    "broker-silent-do": "È la porta del broker? mqtts:// è per una con TLS.",
    "broker-login": "{host} non lascia entrare {user}: {reason}",
    "broker-login-do": "Guardare username e password_file in [broker] e l'elenco del broker; "
                       "mosquitto lo rilegge solo con SIGHUP.",
    "broker-read": "{host} non lascia leggere a {user} {topic} e {status}",
    "broker-read-do": "Le regole d'accesso del broker devono permetterlo al tavolo: "
                      "config/mosquitto/floorcall.acl",
    "broker-write": "{host} non lascia scrivere a {user} i propri topic: {reason}",
    "broker-write-do": "Le regole d'accesso conoscono un tavolo dal nome utente: dev'essere "
                       "quello del tavolo. config/mosquitto/floorcall.acl",
    "broker-echo": "{host} conferma ciò che {user} pubblica, e non torna indietro",
    "broker-echo-do": "Le regole d'accesso lo rifiutano in silenzio: il tavolo deve poter scrivere "
                      "e leggere i propri topic. config/mosquitto/floorcall.acl",
    "broker-file": "{field} in [broker] {reason}",
    "broker-file-do": "floorcall check dice di più; l'utente del demone deve poterlo leggere.",

    "tls-broker-ended": "il certificato di {host} è scaduto",
    "tls-broker-ended-do": "Rinnovarlo presso il broker, e mandare a mosquitto un SIGHUP.",
    "tls-broker-early": "il certificato di {host} non vale ancora",
    "tls-broker-early-do": "Guardare gli orologi delle due macchine.",
    "tls-broker-other": "il certificato di {host} è di un altro host",
    "tls-broker-other-do": "Il nome nella URL deve stare nel certificato: cambiarne uno.",
    "tls-broker-unknown": "il certificato di {host} non è di un'autorità che qui si conosce",
    "tls-broker-unknown-do": "Indicare l'autorità della casa con ca in [broker].",
    "tls-own-missing": "{host} vuole da noi un certificato",
    "tls-own-missing-do": "Indicare certificate e key in [broker].",
    "tls-own-ended": "il nostro certificato è scaduto, dice {host}",
    "tls-own-ended-do": "Rinnovarlo: docs/operation.md, Certificates.",
    "tls-own-revoked": "il nostro certificato è revocato, dice {host}",
    "tls-own-revoked-do": "Se è giusto, togliere questa macchina; altrimenti una chiave nuova e un "
                          "certificato nuovo.",
    "tls-own-unknown": "{host} non conosce l'autorità del nostro certificato",
    "tls-own-unknown-do": "Devono essere entrambi dell'autorità che il broker ha come cafile.",
    "tls-own-refused": "{host} non accetta il nostro certificato",
    "tls-own-refused-do": "Il log del broker dice perché; dev'essere uno per client.",
    "tls-too-old": "{host} e noi non parliamo alcuna versione comune di TLS",
    "tls-too-old-do": "Il broker deve parlare TLS 1.2 o 1.3.",
    "tls-broken-off": "{host}:{port} interrompe il TLS",
    "tls-broken-off-do": "È la porta TLS del broker? Forse vuole un certificato; il suo log lo "
                         "dice.",
    "tls-not-spoken": "non c'è TLS su {host}:{port}",
    "tls-not-spoken-do": "È la porta TLS del broker? mqtt:// è per una porta senza.",

    "remark-overheard": "{where}: ciò che si dice a {host} si può leggere per strada, anche una "
                        "password",
    "remark-overheard-do": "mqtts:// è per un broker su un'altra macchina.",
    "remark-unused": "{where} non si usa",
    "remark-unused-do": "È per il TLS: nessuna URL comincia con mqtts://",
    "remark-unfit": "{where} {reason}",
    "remark-unfit-do": "È cambiato dopo il controllo: chiedere di nuovo.",
    "remark-ends": "{where}: il certificato {name} scade il {day}",
    "remark-ends-do": "Rinnovarlo: docs/operation.md, Certificates.",
    "remark-ended": "{where}: il certificato {name} è scaduto il {day}",
    "remark-ended-do": "Rinnovarlo: docs/operation.md, Certificates.",
    "remark-begins": "{where}: il certificato {name} non vale prima del {day}",
    "remark-begins-do": "Guardare l'orologio.",
    "remark-misnamed": "{where}: è di {name}, e questo è {table}",
    "remark-misnamed-do": "Le regole in config/mosquitto conoscono un tavolo dal nome del "
                          "certificato.",
}
# fmt: on
