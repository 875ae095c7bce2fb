"""Post-processing: changing a decision's probabilities before an action is drawn from them.

Thresholding and purification are those of Ganzfried, Sandholm and Waugh 2012; New-tau is the technique of the 2014
champion (Brown, Ganzfried and Sandholm 2015, section 4, compared in its Table 2). All are one procedure whose
parameters are that section's list of free choices:

1. If folding is more probable than `fold`, fold (the "conservative action").
2. Put actions into classes ("buckets", "meta-actions"), and drop the classes less probable than `between`.
3. Within each class, drop the actions with less than the part `within` of the class.

What is left is scaled to sum to 1. Where nothing is left, the most probable stays and ties share, so that a
threshold of 1 is purification. `between` and `within` are parts of 1.

| written | is |
|---|---|
| `none` | nothing is dropped |
| `threshold(x)` | each action is its own class; `between` is x |
| `purify` | `threshold(1)` |
| `new(tau)` | `fold` is tau; the classes are fold, call and all bets together; `between` and `within` are 1 |
| `new(0.2,between=0.3,within=0.1,classes=sizes)` | New-0.2 with other choices |
| `purify(first=false)` | a player's first action of a hand stays unchanged, as in the paper's footnote 6 |

Classes are `kinds` (fold; call or check; bets and raises), `sizes` (bets up to the pot and larger ones apart) or
`actions` (each its own).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from solvent.foundation.errors import InputError
from solvent.foundation.kernels.compiling import internal, kernel
from solvent.games.betting.rules import CALL, FOLD
from solvent.games.naming import parse_call, spell

ACTIONS, KINDS, SIZES = 0, 1, 2
CLASSES = ("actions", "kinds", "sizes")
"""Ways of putting actions into classes, by number."""
FOLDS, CALLS, BETS = 0, 1, 2
"""The first classes; further ones follow."""
EXAMPLE = "none, purify, threshold(0.15), new(0.2) or new(0.2,first=false)"


class PostNumbers(NamedTuple):
    """A post-processing as kernels read it."""

    fold: float
    classes: int
    between: float
    within: float
    first: bool


@dataclass(frozen=True)
class PostProcessing:
    """A post-processing and its parameters."""

    fold: float = 1.0
    """Probability of folding above which the player always folds."""
    classes: str = "actions"
    between: float = 0.0
    """Classes below this probability are dropped; 1 keeps only the most probable."""
    within: float = 0.0
    """Actions below this part of their class are dropped; 1 keeps only the most probable."""
    first: bool = True
    """Whether a player's first action of a hand is post-processed too."""

    def __post_init__(self) -> None:
        for name in ("fold", "between", "within"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InputError(
                    f"the numbers of a post-processing are from 0 to 1, not {name}={spell(value)}"
                )
        if self.classes not in CLASSES:
            raise InputError(
                f"classes of a post-processing are {', '.join(CLASSES)}, not {spell(self.classes)}"
            )
        if not isinstance(self.first, bool):
            raise InputError(
                f"first is true or false (leave the first action as it is), not {spell(self.first)}"
            )

    @property
    def numbers(self) -> PostNumbers:
        return PostNumbers(
            float(self.fold), CLASSES.index(self.classes), float(self.between), float(self.within), self.first
        )

    def __str__(self) -> str:
        first = [] if self.first else ["first=false"]
        if self.fold == 1 and self.classes == "actions" and self.within == 0:
            if self.between == 0:
                return "none"
            name, inside = (
                ("purify", first) if self.between == 1 else ("threshold", [spell(self.between), *first])
            )
        else:
            name, inside = "new", [spell(self.fold)]
            for key, usual in (("classes", "kinds"), ("between", 1.0), ("within", 1.0)):
                value = getattr(self, key)
                inside += [f"{key}={spell(value)}"] if value != usual else []
            inside += first
        return f"{name}({','.join(inside)})" if inside else name


NONE = PostProcessing()


def parse_post(text: str) -> PostProcessing:
    """Read a post-processing as users write it.

    >>> [str(parse_post(text)) for text in ("purify", "threshold(0.15)", "new(0.2, first=false)", "none")]
    ['purify', 'threshold(0.15)', 'new(0.2,first=false)', 'none']
    """
    name, arguments = parse_call(text, EXAMPLE)
    usual: dict[str, dict[str, Any]] = {
        "none": {},
        "purify": {"between": 1.0},
        "threshold": {},
        "new": {"classes": "kinds", "between": 1.0, "within": 1.0},
    }
    allowed = {"none": (), "purify": ("first",), "threshold": ("between", "first")}
    places = {"threshold": "between", "new": "fold"}
    if name not in usual:
        raise InputError(f"there is no post-processing {name!r}; write {EXAMPLE}")
    given = {key if key is not None else places.get(name, ""): value for key, value in arguments}
    known = allowed.get(name, ("fold", "classes", "between", "within", "first"))
    unknown = [key for key in given if key not in known]
    if unknown or len(given) < len(arguments):
        raise InputError(f"cannot read the post-processing {text!r}; write {EXAMPLE}")
    if name in places and places[name] not in given:
        raise InputError(f"the post-processing {name} needs a number, such as {name}(0.2)")
    return PostProcessing(**{**usual[name], **given})


@kernel
def class_of(classes, action, place, fraction):  # type: ignore[no-untyped-def]
    """The class of an action.

    place: the action's place among the bets of the node. fraction: its size as a fraction of the pot after calling.
    """
    if action == FOLD:
        return FOLDS
    if action == CALL:
        return CALLS
    if classes == KINDS:
        return BETS
    if classes == SIZES:
        return BETS if fraction <= 1.0 else BETS + 1
    return BETS + place


@kernel
def post_process(probabilities, class_numbers, count, post, sums):  # type: ignore[no-untyped-def]
    """Post-process the probabilities of a decision's first `count` actions in place.

    class_numbers: int64[actions], below len(sums); `FOLDS` is folding. sums: float64[], overwritten.
    """
    for one in range(len(sums)):
        sums[one] = 0.0
    for action in range(count):
        sums[class_numbers[action]] += probabilities[action]
    if sums[FOLDS] > post.fold:
        for action in range(count):
            probabilities[action] = 1.0 if class_numbers[action] == FOLDS else 0.0
        return
    if post.within > 0:
        for one in range(len(sums)):
            if sums[one] > 0:
                cut_class(probabilities, class_numbers, count, one, sums[one], post.within)
    else:
        for action in range(count):
            if sums[class_numbers[action]] > 0:
                probabilities[action] /= sums[class_numbers[action]]
    cut(sums, len(sums), post.between)
    for action in range(count):
        probabilities[action] *= sums[class_numbers[action]]


@internal
def cut(shares, count, least):  # type: ignore[no-untyped-def]
    """Drop shares below `least` and scale the rest to sum to 1; if none is left, keep the greatest, ties share."""
    total, best = 0.0, 0.0
    for place in range(count):
        best = max(best, shares[place])
        if shares[place] >= least:
            total += shares[place]
    if not total > 0:
        least, total = best, 0.0
        for place in range(count):
            if shares[place] == best:
                total += best
    for place in range(count):
        shares[place] = shares[place] / total if shares[place] >= least else 0.0


@internal
def cut_class(probabilities, class_numbers, count, one, whole, least):  # type: ignore[no-untyped-def]
    """`cut` for the actions of one class, whose probabilities sum to `whole`."""
    total, best = 0.0, 0.0
    for action in range(count):
        if class_numbers[action] == one:
            probabilities[action] /= whole
            best = max(best, probabilities[action])
            if probabilities[action] >= least:
                total += probabilities[action]
    if not total > 0:
        least, total = best, 0.0
        for action in range(count):
            if class_numbers[action] == one and probabilities[action] == best:
                total += best
    for action in range(count):
        if class_numbers[action] == one:
            probabilities[action] = probabilities[action] / total if probabilities[action] >= least else 0.0
