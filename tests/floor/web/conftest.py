"""A floor's side that is up, for each test its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.floor.web.side import Floorside, opened


@pytest.fixture
async def side(tmp_path: Path) -> AsyncIterator[Floorside]:
    async with opened(tmp_path) as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> None:
    """A test that leaves a descriptor or a task behind fails."""
    if request.node.get_closest_marker("asyncio") is not None:
        request.getfixturevalue("_no_leak_of_a_task")
