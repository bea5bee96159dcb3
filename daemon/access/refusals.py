"""Why TLS did not come about, in words for people: one for each side's reasons."""

from __future__ import annotations

import ssl

# fmt: off
REFUSALS = {
    "broker-ended": "the broker's certificate has ended",
    "broker-early": "the broker's certificate does not hold yet: is the clock right?",
    "broker-other": "the broker's certificate is not for this host's name",
    "broker-unknown": "the broker's certificate is not of our authority",
    "own-missing": "the broker wants a certificate of us",
    "own-ended": "our certificate has ended, says the broker",
    "own-revoked": "our certificate is revoked, says the broker",
    "own-unknown": "our certificate is not of the broker's authority",
    "own-refused": "the broker does not take our certificate",
    "too-old": "no version of TLS that both sides speak: 1.2 is the least",
    "broken-off": "the broker breaks TLS off",
    "not-spoken": "there is no TLS at that port",
}
# OpenSSL's X509_V_ERR numbers (x509_vfy.h): what we find wrong with the broker's certificate.
_FOUND = {
    9: "broker-early", 10: "broker-ended",
    18: "broker-unknown", 19: "broker-unknown", 20: "broker-unknown", 21: "broker-unknown",
    62: "broker-other", 64: "broker-other",
}
# What the broker says of ours, or of both: the ends of OpenSSL's words, the longer ones first.
_SAID = {
    "CERTIFICATE_REQUIRED": "own-missing",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "own-missing",
    "ALERT_CERTIFICATE_EXPIRED": "own-ended",
    "ALERT_CERTIFICATE_REVOKED": "own-revoked",
    "ALERT_UNKNOWN_CA": "own-unknown",
    "ALERT_BAD_CERTIFICATE": "own-refused",
    "ALERT_CERTIFICATE_UNKNOWN": "own-refused",
    "ALERT_UNSUPPORTED_CERTIFICATE": "own-refused",
    "ALERT_ACCESS_DENIED": "own-refused",
    "ALERT_PROTOCOL_VERSION": "too-old",
    "UNSUPPORTED_PROTOCOL": "too-old",
    "WRONG_VERSION_NUMBER": "not-spoken",
    "RECORD_LAYER_FAILURE": "not-spoken",
    "ALERT_HANDSHAKE_FAILURE": "broken-off",
    "UNEXPECTED_EOF_WHILE_READING": "broken-off",
}
# fmt: on


def refusal(error: BaseException) -> str | None:
    """The key in `REFUSALS` of what this error of TLS means; None where it is another one."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _FOUND.get(error.verify_code)
    if not isinstance(error, ssl.SSLError):
        return None
    reason = error.reason or ""
    return next((key for end, key in _SAID.items() if reason.endswith(end)), None)
