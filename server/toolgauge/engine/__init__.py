"""Runs a plan: asks targets, scores their answers, tells what happened as events.

Knows nothing of storage, files or doors: everything it needs comes as an argument.
Begin with ``runner``.
"""
