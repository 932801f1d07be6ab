"""Which targets are meant, and which can be asked right now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from toolgauge.errors import GatewayError, UnknownTarget
from toolgauge.gateway import providers
from toolgauge.model.target import Target
from toolgauge.settings import Settings

LEXICAL = "builtin/lexical"


@dataclass(frozen=True, slots=True)
class TargetState:
    """Whether a target can be asked now; ``why_not`` says what is missing, None if nothing."""

    target: Target
    why_not: str | None


def resolve_targets(
    names: Iterable[str],
    *,
    named: Mapping[str, Target],
    settings: Settings,
    api_base: str | None = None,
) -> tuple[Target, ...]:
    """Return the targets of these names, each once, in order.

    A name is one of ``named`` (the project file's), or ``provider/model``,
    ``replay/FILE[#TARGET]``, ``python:module:callable``. ``api_base`` is for the targets
    that have none of their own; the environment's comes after it.

    Raises:
        UnknownTarget: a name is none of these.
    """
    targets: dict[str, Target] = {}
    for name in names:
        target = named.get(name) or _parse(name, named)
        if not target.is_deterministic and target.api_base is None:
            base = api_base or settings.api_base(target.provider)
            target = replace(target, api_base=base)
        targets[name] = target
    return tuple(targets.values())


def target_states(named: Mapping[str, Target], settings: Settings) -> tuple[TargetState, ...]:
    """Return the built-in and the project's targets, and the providers whose key is set."""
    keyed = [
        Target(f"{name}/*", f"{name}/*", api_base=settings.api_base(name))
        for name, provider in providers.PROVIDERS.items()
        if any(settings.key(key) for key in provider.key_names) or settings.api_base(name)
    ]
    known = (Target(LEXICAL, LEXICAL), *named.values(), *keyed)
    return tuple(TargetState(target, why_not(target, settings)) for target in known)


def why_not(target: Target, settings: Settings) -> str | None:
    """Return what keeps a target from being asked, as a sentence; None if nothing is known to."""
    if target.is_deterministic or target.provider == "python":
        return None
    try:
        providers.key_of(target, settings.key)
    except GatewayError as error:
        return str(error)
    return None


def _parse(name: str, named: Mapping[str, Target]) -> Target:
    provider, slash, model = name.partition("/")
    if name.startswith("python:") or (slash and provider and model):
        if provider == "builtin" and name != LEXICAL:
            raise UnknownTarget(f"{name!r} is not built in; there is {LEXICAL}")
        return Target(name, name)
    known = f" (there: {', '.join(sorted(named))})" if named else ""
    raise UnknownTarget(
        f"no target {name!r}. Write provider/model (openai/gpt-4o-mini, {LEXICAL}), "
        f"or name one in .toolgauge.yml{known}"
    )
