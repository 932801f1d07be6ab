"""toolgauge measures how language models call tools.

Begin with ``model`` (the field's nouns), then ``service`` (what can be asked of it).
"""

__version__ = "0.1.0"
