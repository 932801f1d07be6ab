"""The GitHub Action: a pull request in, a gate's verdict out, everywhere GitHub shows one.

Knows nothing of how models are asked or runs compared: the gate is one call of the
engine. What it does know is GitHub: events, base commits, baselines, comments, labels, and
that everything a pull request brings is hostile. Begin with ``run``.
"""
