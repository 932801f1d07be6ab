"""Statistics of two runs: was there a drop, how large, and could it have been seen?

Pure functions of numbers and, above them, of frozen model classes. The package
knows nothing of files, models asked, stores, time or randomness (a
``random.Random`` comes as an argument), and needs no numpy.

Begin with ``counts`` (what is compared) and ``exact_test`` (the test that the gate
decides on). ``sign_flip`` is the test for scores, ``intervals`` says how large a
difference is, ``power`` what a comparison can see at all, ``holm`` what remains
when several questions are asked at once.

The gate stands above them, in stages: ``pairing`` and ``pooling`` (what is compared with
what), ``looks`` (did a suite drop), ``screening`` (did a case), ``verdict`` (what follows;
its docstring shows all stages) and ``gate_report`` (the whole, for renderers).
``selftest`` measures how that gate does on recorded repeats.
"""
