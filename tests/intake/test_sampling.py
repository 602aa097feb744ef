"""Drawing from a log: seeded, by weight within binomial bounds, and as many from each part."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from labelkit.errors import InputError
from labelkit.intake.logs import Group
from labelkit.intake.sampling import Settings, allocate, bands, draw

SEEDS = 4000
SURE = 1e-4
"""A true rule fails one of these checks once in so many runs; with fixed seeds, never or always."""


def group(key: str, count: int, **more: object) -> Group:
    """Something typed this often."""
    values = {"clicks": {}, "filters": {}, "first": "", "last": "", "sessions": 0, **more}
    return Group(key=key, text=key, count=count, rows=1, forms={key: count}, language="", **values)  # type: ignore[arg-type]


LOG = [group(f"word{n}", count) for n, count in enumerate([400, 200, 100, 50, 25, 10, 5, 5, 3, 2])]


def keys(groups: tuple[Group, ...]) -> list[str]:
    """What was drawn, in order."""
    return [one.key for one in groups]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=30), st.integers(1, 12), st.integers())
def test_a_draw_is_known_by_its_seed_whatever_the_order_of_the_log(
    counts: list[int], size: int, seed: int
) -> None:
    """Nothing twice, never more than asked for, and the larger draw holds the smaller one."""
    log = [group(f"w{n}", count) for n, count in enumerate(counts)]
    for method in ("frequency", "stratified", "bands"):
        settings = Settings(method, size, seed)
        one = draw(log, settings)
        assert one == draw(log[::-1], settings)
        assert len(set(keys(one.groups))) == len(one.groups) == min(size, len(log))
        assert sum(stratum.drawn for stratum in one.strata) == len(one.groups)
        assert sum(stratum.searches for stratum in one.strata) == sum(counts)
    small, large = (draw(log, Settings("frequency", n, seed)) for n in (size, size + 3))
    assert set(keys(small.groups)) <= set(keys(large.groups))


def test_the_first_query_is_drawn_in_proportion_to_its_searches() -> None:
    """400 of 800 searches are drawn first in half of the seeds, 2 in one of 400."""
    first = Counter(draw(LOG, Settings(size=1, seed=seed)).groups[0].key for seed in range(SEEDS))
    total = sum(one.count for one in LOG)
    for one in LOG:
        test = stats.binomtest(first[one.key], SEEDS, one.count / total)
        assert test.pvalue > SURE, one.key


def test_two_are_drawn_one_after_the_other_without_replacement() -> None:
    """The chance that both of a pair are drawn is that of either order (successive sampling)."""
    log = [group("a", 6), group("b", 3), group("c", 1)]
    pairs = Counter(
        frozenset(keys(draw(log, Settings(size=2, seed=seed)).groups)) for seed in range(SEEDS)
    )
    weight = {one.key: one.count / 10 for one in log}
    for x, y in (("a", "b"), ("a", "c"), ("b", "c")):
        chance = weight[x] * weight[y] / (1 - weight[x]) + weight[y] * weight[x] / (1 - weight[y])
        assert stats.binomtest(pairs[frozenset((x, y))], SEEDS, chance).pvalue > SURE


def test_bands_are_thirds_of_the_traffic_and_equals_stand_together() -> None:
    log = [group("top", 30), *(group(f"mid{n}", 3) for n in range(10))]
    log += [group(f"rare{n}", 1) for n in range(30)]
    found = bands(log)
    assert found["top"] == "head"
    assert {found[f"mid{n}"] for n in range(10)} == {"torso"}
    assert {found[f"rare{n}"] for n in range(30)} == {"tail"}
    drawn = draw(log, Settings("bands", 9, seed=1))
    assert [(s.name, s.queries, s.searches, s.drawn) for s in drawn.strata] == [
        ("head", 1, 30, 1),
        ("torso", 10, 30, 4),
        ("tail", 30, 30, 4),
    ]


def test_within_a_band_all_queries_are_drawn_alike() -> None:
    """In the head, 60 searches are not drawn more often than 50."""
    log = [group("more", 60), group("less", 50), *(group(f"r{n}", 1) for n in range(150))]
    assert {bands(log)[key] for key in ("more", "less")} == {"head"}
    drawn = [draw(log, Settings("bands", 1, seed=seed)).groups[0].key for seed in range(1000)]
    assert stats.binomtest(drawn.count("more"), len(drawn), 0.5).pvalue > SURE


@pytest.mark.parametrize(
    ("strata", "names"),
    [
        ("type", {"keyword", "question", "error-code"}),
        ("length", {"1 to 3 words", "4 to 7 words"}),
        ("filter", {"no filter", "lang=en"}),
        ("month", {"2026-01", "no date"}),
    ],
)
def test_each_stratum_gives_as_many(strata: str, names: set[str]) -> None:
    log = [
        group("reset password", 900),
        group("printer offline", 80),
        group("how do i reset it", 9, filters={"lang=en": 1}),
        group("what is a vpn", 5, first="2026-01-05", filters={"lang=en": 1}),
        group("ORA-00942", 1, first="2026-01-07"),
        group("ERR_TIMED_OUT", 1),
    ]
    drawn = draw(log, Settings("stratified", len(names), seed=3, strata=strata))
    assert {one.name for one in drawn.strata} == names
    assert {one.drawn for one in drawn.strata} == {1}
    assert set(drawn.stratum_of) == set(keys(drawn.groups))


@given(st.integers(1, 60), st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_what_small_parts_lack_the_others_give(size: int, held: list[int]) -> None:
    given_ = allocate(size, held)
    assert sum(given_) == min(size, sum(held))
    assert all(0 <= one <= most for one, most in zip(given_, held, strict=True))
    short = [one for one, most in zip(given_, held, strict=True) if one < most]
    assert all(max(given_) - one <= 1 for one in short), "an open part gives as many as any"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (Settings("luck"), "'luck' is no way to draw"),
        (Settings(size=0), "at least one query"),
        (Settings("stratified", strata="mood"), "'mood' makes no strata"),
    ],
)
def test_unknown_settings_are_refused(settings: Settings, says: str) -> None:
    with pytest.raises(InputError, match=says):
        draw(LOG, settings)
