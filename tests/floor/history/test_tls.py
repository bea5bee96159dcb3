"""A PostgreSQL on another machine: who it must be, by the authority that the house gives."""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from daemon.floor.history import Database, HistoryError, HistoryGone
from tests.authority import Authority
from tests.floor.postgres import PASSWORD, Cluster, running_cluster


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority") / "ca")


@pytest.fixture(scope="module")
def tls(authority: Authority) -> Iterator[Cluster]:
    """A PostgreSQL that speaks TLS, with a certificate of the authority."""
    certificate = authority.broker(names="DNS:localhost")
    with running_cluster() as cluster:
        cluster.stop()
        for name in ("server.crt", "server.key"):
            source = certificate if name.endswith("crt") else certificate.with_suffix(".key")
            target = cluster.folder / "data" / name
            shutil.copy(source, target)
            target.chmod(0o600)
            if os.geteuid() == 0:
                one = pwd.getpwnam("postgres")
                os.chown(target, one.pw_uid, one.pw_gid)
        with (cluster.folder / "data" / "postgresql.conf").open("a") as conf:
            conf.write("ssl = on\n")
        cluster.start()
        yield cluster


def by_name(cluster: Cluster) -> str:
    """A new database, by the name that the certificate has."""
    return cluster.database().replace("127.0.0.1", "localhost")


def is_encrypted(database: Database) -> bool:
    with database.reading() as connection:
        asked = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        return bool(connection.execute(sa.text(asked)).scalar_one())


def test_a_server_of_the_houses_authority_is_spoken_to_in_tls(
    tls: Cluster, authority: Authority
) -> None:
    database = Database(by_name(tls), PASSWORD, ca=authority.ca)
    assert is_encrypted(database)
    database.close()


def test_a_server_of_another_authority_is_refused_in_words(tls: Cluster, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other")
    database = Database(by_name(tls), PASSWORD, ca=other.ca)
    with pytest.raises(HistoryGone, match="certificate verify failed"):
        database.bring_up()
    database.close()


def test_a_server_of_another_name_is_refused_in_words(tls: Cluster, authority: Authority) -> None:
    database = Database(tls.database(), PASSWORD, ca=authority.ca)
    with pytest.raises(HistoryGone, match=r"certificate is not valid for '127\.0\.0\.1'"):
        database.bring_up()
    database.close()


def test_a_server_without_tls_is_refused_where_an_authority_is_given(
    postgres: Cluster, authority: Authority
) -> None:
    database = Database(postgres.database(), PASSWORD, ca=authority.ca)
    with pytest.raises(HistoryGone, match="refuses SSL"):
        database.bring_up()
    database.close()


def test_without_an_authority_tls_is_spoken_where_it_is_offered(
    tls: Cluster, postgres: Cluster
) -> None:
    for cluster, does in ((tls, True), (postgres, False)):
        database = Database(cluster.database(), PASSWORD)
        assert is_encrypted(database) is does
        database.close()


def test_an_authority_that_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(HistoryError, match="No such file"):
        Database("postgresql+pg8000://floor@db/floor", ca=tmp_path / "no-ca.pem")
