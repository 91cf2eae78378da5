"""Two runs over the same cases, compared case by case.

A difference of averages says little about a few dozen cases; which cases changed, and how surprising that is, says
more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitcontext_pipeline.evaluation.metrics import DIGITS, SEED
from gitcontext_pipeline.evaluation.report import CaseRanks
from gitcontext_pipeline.evaluation.verdict import CaseChange, Paired

SIGNIFICANT = 0.05
PERMUTATIONS = 9999


def changes(
    before: Sequence[CaseRanks], after: Sequence[CaseRanks], top: int
) -> tuple[list[CaseChange], list[CaseChange]]:
    """The cases gained and lost at `top` rows, in the order of `after`; cases that only one run has are left out."""
    then = {case.id: case for case in before}
    gained: list[CaseChange] = []
    lost: list[CaseChange] = []
    for case in after:
        if (old := then.get(case.id)) is None or hits(old, top) == hits(case, top):
            continue
        change = CaseChange(id=case.id, query=case.query, before=old.rank, after=case.rank)
        (gained if hits(case, top) else lost).append(change)
    return gained, lost


def hits(case: CaseRanks, top: int) -> bool:
    return case.rank is not None and case.rank <= top


def paired(before: Sequence[CaseRanks], after: Sequence[CaseRanks], top: int) -> Paired:
    """McNemar's exact test on the hits at `top` rows and a permutation test on the reciprocal ranks (both
    two-sided)."""
    gained, lost = changes(before, after, top)
    now = reciprocal_ranks(after)
    then = reciprocal_ranks(before)
    differences = [now[name] - then[name] for name in now if name in then]
    mean = sum(differences) / len(differences) if differences else 0.0
    drop = resolvable_drop_pp(len(differences))
    return Paired(
        cases=len(differences),
        mcnemar_p=round(mcnemar(len(gained), len(lost)), DIGITS),
        permutation_p=round(permutation(differences), DIGITS),
        mrr_difference=round(mean, DIGITS) + 0.0,
        resolvable_drop_pp=None if drop is None else round(drop, 3),
    )


def reciprocal_ranks(cases: Sequence[CaseRanks]) -> Mapping[str, float]:
    return {case.id: 1 / case.rank if case.rank else 0.0 for case in cases}


def mcnemar(gained: int, lost: int) -> float:
    """The exact two-sided p-value that gains and losses are equally likely (McNemar 1947; binomial form); 1 for
    none."""
    if gained + lost == 0:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(gained, gained + lost, 0.5).pvalue)


def permutation(differences: Sequence[float]) -> float:
    """The two-sided p-value that per-case differences are as likely positive as negative (Fisher's randomisation test;
    Smucker, Allan and Carterette, CIKM 2007), seeded; 1 where nothing differs."""
    import numpy as np
    from scipy.stats import permutation_test

    data = np.asarray([difference for difference in differences if difference], dtype=float)
    if not len(data):
        return 1.0
    if len(data) == 1:
        return 1.0
    found = permutation_test(
        (data,),
        lambda sample, axis: np.mean(sample, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=PERMUTATIONS,
        random_state=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


def resolvable_drop_pp(cases: int) -> float | None:
    """The smallest fall of Hit@k, in percentage points, that McNemar's test calls significant over this many cases.

    It takes a fall with no gain against it: six cases at 0.05. None when there are too few cases for any fall at all.
    """
    losses = 1
    while mcnemar(0, losses) >= SIGNIFICANT:
        losses += 1
    return 100 * losses / cases if losses <= cases else None
