"""How a table's journal is kept, as its configuration says."""

from __future__ import annotations

from daemon import __version__, sealkeys
from daemon.access import secret_path
from daemon.edges.journal import Care, JournalError, Seal, kept_in_memory
from daemon.edges.settings import Settings
from daemon.transcript import Header


def header_of(settings: Settings, seal: Seal | None) -> Header:
    """Whose journal it is; when it was opened is left open."""
    document = settings.document
    return Header(
        table=document.table,
        site=document.site,
        opened="",
        version=__version__,
        rulebook=document.rulebook,
        config=str(settings.source.absolute()),
        digest=settings.digest,
        sealed="" if seal is None else seal.told,
    )


def seal_of(settings: Settings) -> Seal | None:
    """What closes the journal's lines; raises JournalError rather than leave them open."""
    if (name := settings.document.journal.seal) is None:
        return None
    public = sealkeys.public_in(secret_path(settings.source, name))
    if isinstance(public, str):
        raise JournalError(secret_path(settings.source, name), 0, public)
    return Seal(public, kept_in_memory())


def care_of(settings: Settings) -> Care:
    """What becomes of its parts."""
    journal = settings.document.journal
    return Care(
        size_max=journal.size_mb << 20,
        days=journal.keep_days,
        parts=journal.keep_parts,
        free=None if journal.free_mb is None else journal.free_mb << 20,
        heads=None if journal.heads is None else settings.source.parent / journal.heads,
    )
