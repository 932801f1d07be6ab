"""What every test may use."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio: litellm and DBOS know no other loop."""
    return "asyncio"
