from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from toolgauge import scoring

MODULES = [
    scoring.__name__,
    *(f"toolgauge.scoring.{m.name}" for m in pkgutil.iter_modules(scoring.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
