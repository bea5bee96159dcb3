"""How to come to a broker: the files that `[broker]` names, TLS, and when certificates end."""

from daemon.access.certificates import WARNED_DAYS, Certificate, read_der, worry
from daemon.access.checks import exposed, misfits, remarks
from daemon.access.files import Access, AccessError, access_of, is_open_to_all, secret_path
from daemon.access.refusals import REFUSALS
from daemon.access.tls import Context, tls

__all__ = [
    "REFUSALS",
    "WARNED_DAYS",
    "Access",
    "AccessError",
    "Certificate",
    "Context",
    "access_of",
    "exposed",
    "is_open_to_all",
    "misfits",
    "read_der",
    "remarks",
    "secret_path",
    "tls",
    "worry",
]
