"""The field's nouns: frozen, without I/O, knowing nothing of any other layer.

The glossary is binding; every other module uses these words and no others:

=============  =====================================================================
Suite          tool definitions and the cases that are asked about them
Case           one question with what is expected of the answer
Target         a model with its parameters (and optionally a prompt), as asked
Trial          one attempt of a target at a case (repeat k), scored or errored
ToolCall       one call of a tool: a name and arguments
Trajectory     the ordered calls and messages that one trial produced
Scorer         a pure function of (case, trajectory) to a Score
Score          a value in [0, 1] or None, and the reason it can be recomputed from
Metric         many trials to one number, with its n
Run            one suite, asked of some targets, with its trials and summaries
Experiment     runs of one suite, compared with a baseline over time
Baseline       the run (or pooled runs) that a head is compared with
Delta          head minus baseline, of one metric
Job            a piece of background work with a state
=============  =====================================================================

Begin with ``suite`` and ``case`` (what is asked), then ``trial`` (what came back).
"""
