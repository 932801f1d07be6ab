"""How well a fact of a question fits a parameter: by type, name, format and neighbouring words.

The numbers are ranks, not probabilities. They say: what a thing is called outweighs what
it looks like, and the words beside it decide between two that look alike.
"""

from __future__ import annotations

from typing import Any

from toolgauge.gateway.lexical_facts import Fact
from toolgauge.gateway.lexical_parameters import Parameter
from toolgauge.gateway.lexical_words import stem, words

_Wants = dict[str, float]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text))


_EMAIL: _Wants = {"email": 3.0}
_URL: _Wants = {"url": 3.0}
_DATE: _Wants = {"date": 3.0}
_TIME: _Wants = {"time": 3.0, "date": 1.0}
_CODE: _Wants = {"code": 3.0, "number": 2.0, "quoted": 1.5}
_SYMBOL: _Wants = {"code": 2.0, "name": 2.0, "quoted": 1.5}
_PLACE: _Wants = {"name": 2.4, "quoted": 1.6, "phrase": 1.2, "code": 1.0}
_FREE_TEXT: _Wants = {"quoted": 3.0, "rest": 1.4, "phrase": 1.1, "name": 1.0}
_ANY: _Wants = {"quoted": 1.6, "name": 1.4, "code": 1.3, "phrase": 1.0, "date": 0.7, "number": 0.6}
_ANY |= {"email": 0.8, "url": 0.8, "time": 0.6}
# "two" may be a number of anything: "the two sides 4 and 5"
_NUMERIC: _Wants = {"number": 1.0, "count": 0.6}
_PLACE_WORDS = _stems(
    "city location place country town address destination origin region state province capital "
    "airport street area venue"
)
# the last word of a name says what a parameter is: email_subject is a subject
_BY_WORD: tuple[tuple[frozenset[str], _Wants], ...] = (
    (_stems("email mail recipient cc bcc invitee attendee"), _EMAIL),
    (_stems("url link website uri webpage"), _URL),
    (_stems("date day deadline departure arrival birthday checkin checkout"), _DATE),
    (_stems("time hour"), _TIME),
    (_stems("id identifier number code sku isbn reference ref zip phone"), _CODE),
    (_stems("symbol ticker currency"), _SYMBOL),
    (_PLACE_WORDS, _PLACE),
    (
        _stems(
            "query text message content body title subject note description keyword comment prompt "
            "term topic phrase question search expression sentence q"
        ),
        _FREE_TEXT,
    ),
)
_BY_FORMAT = {"email": _EMAIL, "uri": _URL, "url": _URL, "date": _DATE, "time": _TIME}
_BY_FORMAT |= {"date-time": _DATE, "uuid": _CODE}

_ROLES: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (
        _stems("from origin source start departure begin base sender"),
        _stems("from between since leaving starting"),
    ),
    (
        _stems("to destination target end arrival until recipient due"),
        _stems("to into until and"),
    ),
    (_PLACE_WORDS, _stems("in at near around")),
    (
        _stems("name person user author artist title contact employee customer"),
        _stems("with named called by for titled"),
    ),
)
_FILLERS = _stems("the a an my our is be as of to")
_VAGUE = _stems("name value number string type data to from in at of for by")
_ROLE_BONUS, _DESCRIBED_BONUS = 1.0, 1.0
_NAMED_AFTER, _NAMED_BEFORE, _NAMED_NEAR = 1.6, 1.5, 1.2
_CHOICE, _PER_LETTER = 4.0, 0.01


def fit(parameter: Parameter, fact: Fact) -> float:
    """Return how well ``fact`` fits: about 1 may be, 2 and more is likely, 0 and less does not."""
    if fact.kind == "choice":
        return _CHOICE + _PER_LETTER * (fact.end - fact.start) + _cues(parameter, fact)
    base = _numeric(parameter, fact) if parameter.type in ("integer", "number") else 0.0
    if parameter.type == "string":
        base = _wants(parameter).get(fact.kind, 0.0)
    return base + _cues(parameter, fact) if base else 0.0


def value_of(parameter: Parameter, fact: Fact, text: str) -> Any:
    """Return the value of ``fact``; a number that is to be a string, as it was said."""
    if parameter.type == "string" and fact.kind == "number":
        return text[fact.start : fact.end]
    return fact.value


def is_free_text(parameter: Parameter) -> bool:
    """Whether a whole question may stand for the parameter (a query, a message)."""
    return parameter.type == "string" and _wants(parameter) is _FREE_TEXT


def _numeric(parameter: Parameter, fact: Fact) -> float:
    if fact.kind not in _NUMERIC or (
        parameter.type == "integer" and not isinstance(fact.value, int)
    ):
        return 0.0
    is_low = parameter.minimum is not None and fact.value < parameter.minimum
    is_high = parameter.maximum is not None and fact.value > parameter.maximum
    return 0.0 if is_low or is_high else _NUMERIC[fact.kind]


def _wants(parameter: Parameter) -> _Wants:
    if parameter.format in _BY_FORMAT:
        return _BY_FORMAT[parameter.format]
    for word in reversed(parameter.words):
        for known, wants in _BY_WORD:
            if word in known:
                return wants
    described = (wants for known, wants in _BY_WORD if parameter.hints & known)
    return next(described, _ANY)


def _cues(parameter: Parameter, fact: Fact) -> float:
    before = [stem(word) for word in fact.before]
    after = [stem(word) for word in fact.after]
    return _by_name(parameter, before, after) + _by_role(parameter, before)


def _by_name(parameter: Parameter, before: list[str], after: list[str]) -> float:
    """Return what it is worth that the parameter's own words stand beside the fact."""
    names = set(parameter.words) - _VAGUE
    spoken = [word for word in before if word not in _FILLERS]
    if names.intersection(after[:1]):
        return _NAMED_AFTER
    if names.intersection(spoken[-1:]):
        return _NAMED_BEFORE
    if names.intersection(spoken) or names.intersection(after):
        return _NAMED_NEAR
    return _DESCRIBED_BONUS if parameter.hints.intersection(spoken[-1:] + after[:1]) else 0.0


def _by_role(parameter: Parameter, before: list[str]) -> float:
    """Return the worth of the preposition: "from X" speaks for an origin, against a target."""
    spoken = [word for word in before if word not in ("the", "a", "an", "my")]
    if not spoken:
        return 0.0
    own = [says for names, says in _ROLES if names.intersection(parameter.words)]
    if any(spoken[-1] in says for says in own):
        return _ROLE_BONUS
    directions = [says for _, says in _ROLES[:2]]
    is_opposed = any(spoken[-1] in says for says in directions if says not in own)
    has_direction = any(says in directions for says in own)
    return -_ROLE_BONUS if has_direction and is_opposed else 0.0
