"""How alembic reaches the database: on the connection, and in the transaction, that it is given."""

from __future__ import annotations

from alembic import context

from daemon.floor.history.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
