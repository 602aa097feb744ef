"""What errors of the raters do to labels: their confusion of levels, and labels drawn anew.

A model with a latent truth (Dawid and Skene 1979) and one confusion matrix for all raters: a
pair has a true level; each rater, independently of the others, gives each level with a chance
that depends on it. Nobody knows the truth, so second labels say how often raters err, and the
posterior says how far that is known. Whose second label was asked for may depend on the first
one (all levels have to be present in the sample): both are in the likelihood, which makes the
draw ignorable (Rubin 1976).

Two raters and three levels leave some of the matrix undetermined (which of two that differ is
wrong?): there the prior speaks, and the draws vary as widely as it does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labelkit.measures.posterior import sample

DRAWS = 1_000

PRIOR = np.array([[4.0, 0.75, 0.25], [0.5, 4.0, 0.5], [0.25, 0.75, 4.0]])
"""Dirichlet weights of each true level's row: right 8 times in 10, worth five labels."""

CARE = 3.0
"""An adjudicator, who has read both reasons, is fooled with the cube of a rater's odds."""

NOT_SETTLED = -1
CELLS = 1 << 21
"""Random numbers held at once."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was said of each pair.

    `labels`: how many raters gave each level, [pairs, 3]; `settled`: the adjudicated level or
    NOT_SETTLED, [pairs]; `stratum`: pairs that share a mix of levels, from 0, [pairs].
    """

    labels: NDArray[np.int64]
    settled: NDArray[np.int64]
    stratum: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RaterErrors:
    """Draws from the posterior, given the evidence.

    `confusion`: true level by given level, [draws, 3, 3]; `mix`: the true levels' shares in each
    stratum, [draws, strata, 3].
    """

    confusion: Floats
    mix: Floats

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats, Floats]:
        """Mean, lower and upper end of the confusion matrix, each [3, 3]."""
        tails = ((1 - level) / 2, (1 + level) / 2)
        low, high = np.quantile(self.confusion, tails, axis=0)
        return self.confusion.mean(axis=0), low, high


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Pairs of which the same was said count once: `of` is each pair's pattern, [pairs]."""

    labels: Floats
    settled: NDArray[np.int64]
    stratum: NDArray[np.int64]
    times: NDArray[np.int64]
    of: NDArray[np.intp]


def estimate_errors(evidence: Evidence, *, draws: int = DRAWS, seed: int = 0) -> RaterErrors:
    """Draw the raters' confusion matrix and the level mixes from their posterior.

    The prior is PRIOR for each row, uniform for each mix; a matrix under which a rater would
    rather give some wrong level than the right one is excluded (it is the same model with the
    levels renamed).
    """
    patterns = _patterns(evidence)
    strata = int(patterns.stratum.max(initial=0)) + 1
    prior = np.concatenate([np.ones((strata, 3)), PRIOR])
    rng = np.random.default_rng(seed)

    def log_density(logs: Floats) -> Floats:
        mix, confusion = logs[:, :strata], logs[:, strata:]
        said = _log_of_truths(patterns, mix, confusion)
        found = _log_sum(said) @ patterns.times + logs.reshape(len(logs), -1) @ prior.ravel()
        return np.where(_mostly_right(confusion), found, -np.inf)

    start = np.concatenate([_seen_mix(patterns, strata), PRIOR * 4])
    drawn = np.exp(sample(log_density, start, draws, rng))
    return RaterErrors(drawn[:, strata:], drawn[:, :strata])


def redraw(evidence: Evidence, errors: RaterErrors, rng: np.random.Generator) -> NDArray[np.int8]:
    """The true level of every pair, once for each draw of the errors, [draws, pairs]."""
    chances = truth_chances(evidence, errors)
    of = _patterns(evidence).of
    steps = np.cumsum(chances, axis=2)[:, :, :2]
    levels = np.empty((len(chances), len(of)), dtype=np.int8)
    rows = max(1, CELLS // max(1, len(of)))
    for at in range(0, len(levels), rows):
        block = steps[at : at + rows]
        u = rng.random((len(block), len(of)))
        levels[at : at + rows] = (u > block[:, of, 0]).astype(np.int8) + (u > block[:, of, 1])
    return levels


def truth_chances(evidence: Evidence, errors: RaterErrors) -> Floats:
    """The chance of each true level for each pattern of labels, [draws, patterns, 3]."""
    patterns = _patterns(evidence)
    said = _log_of_truths(patterns, np.log(errors.mix), np.log(errors.confusion))
    return np.asarray(np.exp(said - _log_sum(said)[..., None]))


def pair_chances(evidence: Evidence, errors: RaterErrors) -> Floats:
    """The chance of each true level for each pair, over all draws, [pairs, 3]."""
    return np.asarray(truth_chances(evidence, errors).mean(axis=0)[_patterns(evidence).of])


def _patterns(evidence: Evidence) -> _Patterns:
    rows = np.column_stack([evidence.labels, evidence.settled, evidence.stratum])
    kinds, of, times = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return _Patterns(
        kinds[:, :3].astype(np.float64), kinds[:, 3], kinds[:, 4], times, of.reshape(-1)
    )


def _log_of_truths(patterns: _Patterns, mix: Floats, confusion: Floats) -> Floats:
    """Log chance of each true level together with what was said, [draws, patterns, 3]."""
    careful = CARE * confusion
    careful -= _log_sum(careful)[..., None]
    nothing = np.zeros((*careful.shape[:2], 1))  # stands last, where NOT_SETTLED points
    settled = np.concatenate([careful, nothing], axis=2)[:, :, patterns.settled]
    said = patterns.labels @ confusion.transpose(0, 2, 1)
    return np.asarray(mix[:, patterns.stratum] + said + settled.transpose(0, 2, 1))


def _log_sum(logs: Floats) -> Floats:
    """Log of the summed exponentials of the last axis, which has 3 places: a reduction over so
    few is many times slower."""
    a, b, c = logs[..., 0], logs[..., 1], logs[..., 2]
    most = np.maximum(np.maximum(a, b), c)
    return np.asarray(most + np.log(np.exp(a - most) + np.exp(b - most) + np.exp(c - most)))


def _mostly_right(confusion: Floats) -> NDArray[np.bool_]:
    """Whether every level is given its own name more often than any other, [draws]."""
    fine = np.ones(len(confusion), dtype=bool)
    for true in range(3):
        for given in {0, 1, 2} - {true}:
            fine &= confusion[:, true, true] >= confusion[:, true, given]
    return fine


def _seen_mix(patterns: _Patterns, strata: int) -> Floats:
    """The levels given in each stratum, one more of each, [strata, 3]."""
    seen = np.ones((strata, 3))
    np.add.at(seen, patterns.stratum, patterns.labels * patterns.times[:, None])
    return seen
