"""Runs jobs in the background, in whichever process is alive, and knows nothing of what they do.

What a job is and how far it came are rows of ``store``; this package decides who runs it and
when. ``executor`` is the port, ``dbos_executor`` its one implementation (``dbos_queue`` is all
that touches DBOS), ``liveness`` says which processes are dead. ``provider_limits`` and
``progress`` are what jobs in several processes share: rates that hold for all of them
together, and news of a job. Begin with ``executor``.
"""
