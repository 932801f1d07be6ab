"""Targets that this process answers for: the built-in one, recordings, and agents in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toolgauge.errors import UnknownTarget
from toolgauge.formats import transcripts
from toolgauge.gateway.agent import load_agent
from toolgauge.gateway.gateway import Gateway
from toolgauge.gateway.langchain_messages import openai_messages
from toolgauge.gateway.lexical import LexicalGateway
from toolgauge.gateway.replay import Recorded, ReplayGateway
from toolgauge.model.target import Target


def local_gateway(target: Target, import_roots: Sequence[Path]) -> Gateway:
    """Return the gateway of a target whose provider is one of ``LOCAL_PROVIDERS``.

    Raises:
        GatewayError: a ``python:`` target cannot be imported.
        InvalidFile: a ``replay`` target names a file that is no transcript.
        UnknownTarget: it does not say which of several recorded targets is meant.
    """
    if target.provider == "builtin":
        return LexicalGateway()
    if target.provider == "replay":
        return _replay(target)
    return load_agent(target.model, import_roots)


def _replay(target: Target) -> ReplayGateway:
    name, _, wanted = target.model.removeprefix("replay/").partition("#")
    lines = list(transcripts.read_transcript(Path(name)))
    recorded = sorted({line.target for line in lines})
    if wanted and wanted not in recorded:
        raise UnknownTarget(f"{name} records {', '.join(recorded)}, not {wanted!r}")
    if not wanted and len(recorded) > 1:
        raise UnknownTarget(
            f"{name} records several targets; write one of: "
            + ", ".join(f"replay/{name}#{one}" for one in recorded)
        )
    return ReplayGateway(
        {
            (line.case_id, line.repeat): Recorded(
                openai_messages(line.messages), line.usage, line.latency_ms, line.error
            )
            for line in lines
            if not wanted or line.target == wanted
        }
    )
