"""Certificates: whose they are, and when they end. Nothing here has to do with a key."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.x509.oid import NameOID

WARNED_DAYS = 30  # ours: a month is time enough to renew one


@dataclass(frozen=True, slots=True)
class Certificate:
    """What matters of one: its common name, "" where it has none, and from when to when it holds.

    A broker with `use_identity_as_username` has it for the user's name.
    """

    name: str
    begins: datetime
    ends: datetime


def read_pem(text: bytes) -> list[Certificate]:
    """All certificates of a PEM file, in its order; raises ValueError where there is none."""
    return [_told(one) for one in x509.load_pem_x509_certificates(text)]


def read_der(shown: bytes) -> Certificate:
    """The certificate that a broker shows; raises ValueError."""
    return _told(x509.load_der_x509_certificate(shown))


def worry(
    certificate: Certificate, now: datetime, days: int = WARNED_DAYS
) -> tuple[str, datetime] | None:
    """`ended`, `begins` or `ends`, and when; None where this certificate holds for `days` more."""
    if certificate.ends <= now:
        return "ended", certificate.ends
    if certificate.begins > now:
        return "begins", certificate.begins
    if certificate.ends - now < timedelta(days=days):
        return "ends", certificate.ends
    return None


def _told(one: x509.Certificate) -> Certificate:
    names = one.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    name = str(names[0].value) if names else ""
    return Certificate(name, _utc(one.not_valid_before_utc), _utc(one.not_valid_after_utc))


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)
