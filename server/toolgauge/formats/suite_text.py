"""Suites as text: JSON, or YAML that reads back as the very same data."""

from __future__ import annotations

import json
from typing import Any

import yaml

_WIDTH = 100
# what YAML 1.2 may take for a number or null where it stands without quotes
_AMBIGUOUS_STARTS = frozenset("0123456789+-.~")


def suite_text(suite: dict[str, Any], suffix: str) -> str:
    """Return the text of a suite for a file with this suffix: ``.json``, ``.yaml`` or ``.yml``.

    >>> print(suite_text({"name": "1e3"}, ".yaml"), end="")
    name: "1e3"
    """
    if suffix == ".json":
        return json.dumps(suite, ensure_ascii=False, indent=2) + "\n"
    return yaml.dump(suite, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)


class _Dumper(yaml.SafeDumper):
    """Writes every value where it stands, and quotes what another reader may take for a number."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the base asks for each value
        """Return that nothing is written as a reference to an earlier place."""
        return True


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    # line ends and the like stand escaped: readers differ in which of them they know
    style = '"' if text[:1] in _AMBIGUOUS_STARTS or not text.isprintable() else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
