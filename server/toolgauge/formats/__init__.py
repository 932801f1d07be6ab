"""Files in and out: suites, project files, transcripts, datasets of other systems.

Knows nothing of models that answer, nor of the store. Begin with ``suite_file``.
"""
