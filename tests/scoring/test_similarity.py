from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolgauge.scoring.similarity import cosine

vectors = st.lists(st.floats(-1e150, 1e150), min_size=3, max_size=3)


def test_direction_counts_and_length_does_not() -> None:
    assert cosine([1.0, 2.0], [2.0, 4.0]) == pytest.approx(1.0)
    assert cosine([1.0, 0.0], [-3.0, 0.0]) == -1.0
    assert cosine([0.0, 0.0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize("other", [[1.0], [1.0, float("nan")], [1.0, float("inf")]])
def test_vectors_that_cannot_be_compared_are_refused(other: list[float]) -> None:
    with pytest.raises(ValueError, match="vector"):
        cosine([1.0, 2.0], other)


@settings(max_examples=60)
@given(vectors, vectors)
def test_a_cosine_is_symmetric_and_within_its_bounds(left: list[float], right: list[float]) -> None:
    assert -1 <= cosine(left, right) <= 1
    assert cosine(left, right) == pytest.approx(cosine(right, left))
