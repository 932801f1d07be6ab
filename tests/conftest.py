"""What every test may use."""

from __future__ import annotations

import pytest
from hypothesis import settings

# how long one example takes says more of the machine than of the code
settings.register_profile("toolgauge", deadline=None)
settings.load_profile("toolgauge")


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio: litellm and DBOS know no other loop."""
    return "asyncio"
