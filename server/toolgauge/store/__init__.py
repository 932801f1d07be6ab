"""Keeps what was measured: one SQLite file by default, PostgreSQL by URL.

Knows nothing of models, engines or doors. ``open_database`` gives a ``Database``, and every
other function takes it first and returns classes of ``model`` or frozen dataclasses of its
own; table classes never leave this package. Times and ids come as arguments.

::

    async with open_database(url) as database:
        await runs.create(database, StoredRun(run), suite=document)
        async with TrialWriter(database, run.id) as writer:
            ...  # the engine's sink is writer.keep
        await runs.finish(database, finished_run)

=================  =================================================================
``database``       ``open_database``, ``Database``; ``location.default_url``
``suites``         ``save get page history remove``
``runs``           ``create finish get suite_of page remove``
``trials``         ``get page count stream finished_keys``
``trial_writer``   ``TrialWriter``
``cache``          ``StoredReplies`` (of the caching gateway), ``explain``
``experiments``    ``create get page edit pin remove linked_runs``
``jobs``           ``create get page move request_cancel``
``rates``          ``take``
=================  =================================================================

Every list is a ``pages.Page``, newest first, but for the trials of a run, which are in the
order of target, case and repeat. Errors: ``CannotStore`` (the database), ``NotStored``,
``CannotDelete``, ``CannotMove``, ``Superseded``. Begin with ``database`` and ``tables``.
"""
