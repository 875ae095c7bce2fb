"""The error for what a user can put right, the warning for what they should know, and errors in sentences."""

from __future__ import annotations

import errno
import re
from pathlib import Path
from types import TracebackType

OUT_OF_MEMORY = (
    "out of memory; take a smaller game, abstraction or number of threads, or close other programs"
)
LONGEST_PART, LONGEST = 250, 2_000
"""Letters of one word or quoted text, and of a whole sentence, that are shown in full."""
_LONG_PART = re.compile(
    rf"(?<!\w)'[^']{{{LONGEST_PART},}}'(?!\w)|\"[^\"]{{{LONGEST_PART},}}\"|\S{{{LONGEST_PART},}}"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class InputError(ValueError):
    """Something that was given cannot be used. Its message is one sentence for the person who can mend it.

    A message may repeat what was given, however long that is: it is `shortened`.
    """

    def __init__(self, sentence: object = "") -> None:
        super().__init__(shortened(str(sentence)))


class Notice(UserWarning):
    """A sentence for the person who runs the program about something that stops nothing."""


def explain(error: BaseException) -> str | None:
    """One sentence for the person who can mend an error; None where it is a mistake in solvent.

    >>> explain(OSError(errno.ENOSPC, "No space left on device", "runs/a"))
    'runs/a: No space left on device'
    """
    if isinstance(error, InputError):
        return str(error)
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return OUT_OF_MEMORY
    if isinstance(error, OSError):
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror or error}"
    if isinstance(error, UnicodeEncodeError):
        text = error.object[error.start : error.end]
        return f"the text {text!a} cannot be written as {error.encoding}"
    if isinstance(error, UnicodeDecodeError):
        return f"what was read is not {error.encoding} text: {error.reason}"
    damaged = damaged_cache(error.__traceback__)
    if damaged is None:
        return None
    return f"the compiled kernels in {damaged} are damaged; delete that folder, and they are compiled again"


def damaged_cache(traceback: TracebackType | None) -> Path | None:
    """The folder of Numba's cache that a traceback failed to read; None where it failed elsewhere."""
    found = None
    while traceback is not None:
        frame = traceback.tb_frame
        if Path(frame.f_code.co_filename).parts[-3:] == ("numba", "core", "caching.py"):
            cache = frame.f_locals.get("self")
            folder = getattr(cache, "_cache_path", None)
            found = Path(folder) if isinstance(folder, str) else found
        traceback = traceback.tb_next
    return found


def shortened(sentence: str) -> str:
    """A sentence in which no word or quoted text is long, nor the whole: the middle is left out.

    >>> shortened(f"there is no game {'a' * 1000!r}; there is kuhn").replace("aaaaaaaaaaaaaaaa", "")
    "there is no game 'a[820 letters left out]aaa'; there is kuhn"
    """
    if len(sentence) <= LONGEST_PART:
        return sentence
    parts = _LONG_PART.sub(lambda found: _middle_out(found[0], 130, 52), sentence)
    return parts if len(parts) <= LONGEST else _middle_out(parts, 1_500, 400)


def without_controls(text: str) -> str:
    """A text without the characters that a terminal obeys instead of showing; a file may hold any.

    Those that turn the direction of writing are among them.

    >>> without_controls("\\x1b]0;title\\x07kuhn")
    ']0;titlekuhn'
    """
    return _CONTROLS.sub("", text)


def _middle_out(text: str, first: int, last: int) -> str:
    return f"{text[:first]}[{len(text) - first - last:,} letters left out]{text[-last:]}"
