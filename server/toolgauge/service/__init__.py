"""The use cases: one function per thing a door can ask for.

``wiring`` is the only place where parts meet; everything else takes its parts as arguments.
"""
