"""Post-processing of one decision in plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from solvent.strategy.post_processing import FOLDS, PostProcessing


def processed(post: PostProcessing, probabilities: Sequence[float], classes: Sequence[int]) -> list[float]:
    """The probabilities of a decision's actions after post-processing.

    classes: the class of each action; `FOLDS` is folding.
    """
    sums = {one: sum(p for p, c in zip(probabilities, classes, strict=True) if c == one) for one in classes}
    if sums.get(FOLDS, 0.0) > post.fold:
        return [1.0 if one == FOLDS else 0.0 for one in classes]
    of_class = dict(zip(sums, _cut(list(sums.values()), post.between), strict=True))
    result = [0.0] * len(probabilities)
    for one, share in of_class.items():
        if share > 0:
            places = [place for place, other in enumerate(classes) if other == one]
            inside = [probabilities[place] / sums[one] for place in places]
            for place, part in zip(places, _cut(inside, post.within), strict=True):
                result[place] = share * part
    return result


def _cut(shares: list[float], least: float) -> list[float]:
    kept = [share if share >= least else 0.0 for share in shares]
    if not sum(kept) > 0:
        kept = [1.0 if share == max(shares) else 0.0 for share in shares]
    total = sum(kept)
    return [share / total for share in kept]
