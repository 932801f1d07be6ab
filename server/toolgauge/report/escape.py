r"""Escapes: what makes hostile text harmless in each place where it is shown.

Text from a model, a tool, a case, a file or a branch reaches a reader through one of
these functions, one per place:

====================================  =============================================
a line of a terminal                  ``one_line``
a line of a workflow's log            ``log_line``
a workflow command's message          ``command_data``
a workflow command's property         ``command_property``
an output of a workflow step          ``step_output``
Markdown: a name, a value             ``code_span`` (``cell_code`` in a table)
Markdown: a sentence of toolgauge's   ``prose`` (a report may have come from elsewhere)
Markdown: lines                       ``fenced``
Markdown: inside an HTML element      nothing: those hold our own words alone
Markdown: an address                  ``link_target``
XML                                   ``xml_text`` (and a serializer)
HTML                                  ``page_text`` (and a template with autoescape)
JSON                                  ``json_text``
a file's name                         ``file_name``
====================================  =============================================
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from urllib.parse import quote, urlsplit

CLIP_MARK = "…"
EMPTY = "(empty)"

_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# shown as nothing, though of no category that says so: fillers, joiners, tags
_FILLERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2065\u2800\u3164\uffa0"
)
_TAGS = range(0xE0000, 0xE1000)
_LAST_OF_A_PLANE = 0xFFFE  # U+nFFFE and U+nFFFF are no characters, and XML takes none of plane 0

_BACKTICKS = re.compile("`+")
_SURROGATES = re.compile("[\ud800-\udfff]")
# a sentence of ours holds nothing that any dialect of Markdown could take for more than a word
_PROSE = re.compile(r"[\w ,.;:%()'+\-=/<>?!×·—–…≤≥]*")  # noqa: RUF001 - the signs we write
_LINKED = re.compile(r"://|www\.|GH-\d|:[\w+-]+:", re.IGNORECASE)
_COMMAND_CODES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY_CODES = _COMMAND_CODES | {":": "%3A", ",": "%2C"}
_RESERVED_STEMS = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)
_MOST_OF_A_FILE_NAME = 80


def clip(text: str, most: int) -> str:
    """Return ``text``, or its first ``most - 1`` characters and a mark that says so."""
    return text if len(text) <= most else text[: most - 1] + CLIP_MARK


def one_line(text: str, most: int = 200) -> str:
    r"""Return text that is safe to print on one line of a terminal or log.

    At most ``most`` characters are shown. Control characters (escape sequences among
    them), bidirectional controls, line and paragraph separators, lone surrogates and
    everything else that is not seen are shown as ``\xNN``, ``\uNNNN`` or ``\UNNNNNNNN``.

    >>> print(one_line("a\x1b[31mb\nc"))
    a\x1b[31mb\x0ac
    """
    return "".join(map(_shown, clip(text, most)))


def page_text(text: str, most: int = 2000) -> str:
    """Return text for a page: as ``one_line``; the template's autoescape does the rest."""
    return one_line(text, most)


def log_line(text: str, most: int = 400) -> str:
    r"""Return a line of a workflow's log that no runner takes for a command.

    A command is ``::`` at the start of a line, after spaces, or ``##[`` anywhere in it;
    both are pulled apart.

    >>> print(log_line("  ::error::forged"), log_line("a ##[error]b"))
      : :error::forged a # #[error]b
    """
    shown = one_line(text, most).replace("##[", "# #[")
    start = len(shown) - len(shown.lstrip())
    return shown[:start] + ": :" + shown[start + 2 :] if shown[start:][:2] == "::" else shown


def command_data(text: str, most: int = 4000) -> str:
    r"""Return the message of a workflow command; it may have several lines.

    >>> command_data("50%\n::error::forged")
    '50%25%0A::error::forged'
    """
    return _coded(_lines(text, most), _COMMAND_CODES)


def command_property(text: str, most: int = 200) -> str:
    """Return the value of a workflow command's property (``title``, ``file``).

    >>> command_property("a,title=b::c")
    'a%2Ctitle=b%3A%3Ac'
    """
    return _coded(one_line(text, most), _PROPERTY_CODES)


def step_output(name: str, value: str, delimiter: str) -> str:
    r"""Return the lines that set an output of a workflow step, whatever the value holds.

    ``delimiter`` ends the value: a word that cannot be guessed (made anew for each).

    >>> step_output("verdict", "pass", "end_4f1c")
    'verdict<<end_4f1c\npass\nend_4f1c\n'

    Raises:
        ValueError: the value holds the delimiter, or a name is none.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name) or not re.fullmatch(r"\w+", delimiter):
        raise ValueError(f"not a name of an output, or not a delimiter: {name!r}")
    if delimiter in value:
        raise ValueError(f"the value of {name} holds the delimiter")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def code_span(text: str, most: int = 120) -> str:
    """Return text as code within a line of Markdown: no mention, link or markup in it counts.

    It stands between more backticks than it holds in a row.

    >>> print(code_span("@team"), code_span("a`b"))
    `@team` ``a`b``
    """
    shown = _short_line(text, most)
    if not shown:
        return EMPTY
    fence = "`" * (_longest(_BACKTICKS, shown) + 1)
    # Markdown takes one space from either end, but not where there is nothing else
    pad = " " if shown.strip(" ") and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def cell_code(text: str, most: int = 80) -> str:
    """Return text as code within a cell of a Markdown table.

    A pipe would end the cell, even in code and with a backslash: it is shown as U+2223.
    """
    return code_span(text.replace("|", "\u2223"), most)


def prose(text: str, most: int = 600) -> str:
    r"""Return a sentence of toolgauge's as Markdown; anything else as code.

    A report's sentences hold nothing from outside, but the report itself may have come
    from a pull request.

    >>> print(prose("Dropped by 3 points (p < 0.01)."), prose("see @team"))
    Dropped by 3 points (p \< 0.01). `see @team`
    """
    shown = _short_line(text, most)
    if not _PROSE.fullmatch(shown) or _LINKED.search(shown) or shown != shown.strip():
        return cell_code(text, most)
    return re.sub(r"^[-+=:]|[<>_]|^\d+[.)]", _escaped, shown)


def fenced(lines: list[str], language: str = "", most: int = 400) -> str:
    """Return lines as a code block of Markdown whose fence is longer than any inside.

    ``language`` is one of ours, never from outside.
    """
    shown = [_short_line(line, most) for line in lines]
    fence = "`" * max(3, _longest(_BACKTICKS, *shown) + 1)
    return "\n".join([fence + language, *shown, fence])


def link_target(url: str) -> str:
    """Return an address for a link of Markdown or HTML, percent-encoded.

    Only for addresses that toolgauge or a door built, never for those of a model.

    >>> link_target("https://example.org/a b(c)")
    'https://example.org/a%20b%28c%29'

    Raises:
        ValueError: it is not an ``http`` or ``https`` address with a host.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"no link can be made to {one_line(url)}")
    return quote(url, safe=":/?#=&%@+,;~")


def xml_text(text: str, most: int = 8000) -> str:
    r"""Return text that XML 1.0 can hold, with its lines; a serializer does the rest.

    Every other control or invisible character is shown as in ``one_line``.

    >>> print(xml_text("a\x00\nb"))
    a\x00
    b
    """
    return _lines(text, most)


def json_text(text: str) -> str:
    r"""Return text with lone surrogates shown as ``\uNNNN``: UTF-8 cannot hold them."""
    return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def file_name(text: str) -> str:
    """Return a file name for any system, made of letters, digits, ``-``, ``_`` and ``.``.

    A name that had to be changed, or has capital letters (some systems do not tell them
    apart), ends in eight digits of its SHA-256, so that two names stay two.

    >>> file_name("weather.v2"), file_name("../etc/passwd")
    ('weather.v2', 'etc_passwd-7fef78f5')
    """
    kept = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("._-")[:_MOST_OF_A_FILE_NAME]
    if kept == text.lower() and kept.partition(".")[0] not in {"", *_RESERVED_STEMS}:
        return kept
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kept or 'name'}-{digest[:8]}"


def _shown(character: str) -> str:
    if character.isascii() and character.isprintable():
        return character
    return _code_of(ord(character)) if _is_unseen(character) else character


def _is_unseen(character: str) -> bool:
    code = ord(character)
    return (
        unicodedata.category(character) in _UNSEEN_CATEGORIES
        or character in _FILLERS
        or code in _TAGS
        or code & _LAST_OF_A_PLANE == _LAST_OF_A_PLANE
    )


def _code_of(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _short_line(text: str, most: int) -> str:
    """Return one line of at most ``most`` characters, codes for unseen ones counted."""
    return clip(one_line(text, most), most)


def _lines(text: str, most: int) -> str:
    return "\n".join(
        line.replace("\t", "    ") if line.isascii() and line.isprintable() else _tabbed(line)
        for line in clip(text, most).replace("\r\n", "\n").split("\n")
    )


def _tabbed(line: str) -> str:
    return "".join("    " if character == "\t" else _shown(character) for character in line)


def _coded(text: str, codes: dict[str, str]) -> str:
    return "".join(codes.get(character, character) for character in text)


def _longest(pattern: re.Pattern[str], *texts: str) -> int:
    return max((len(found) for text in texts for found in pattern.findall(text)), default=0)


def _escaped(found: re.Match[str]) -> str:
    return found[0][:-1] + "\\" + found[0][-1]
