"""Renderers: a value goes in, text comes out. Pure; knows nothing of how it was measured.

Everything that came from a model, a tool, a case or a file name is hostile and goes
through ``escape``. Begin with ``terminal``.
"""
