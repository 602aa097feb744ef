"""Alpha is Krippendorff's: published values, and the reference package on random data."""

from __future__ import annotations

import csv
import json

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelkit.agreement import Label, report
from labelkit.agreement.alpha import alphas, coincidences, headline_alpha
from labelkit.agreement.labels import METRICS

QUICK = {"resamples": 50}


def from_matrix(data):
    """Labels of a raters × units matrix with None for missing."""
    return [
        Label(unit, rater, value)
        for rater, row in enumerate(data)
        for unit, value in enumerate(row)
        if value is not None
    ]


def domain_of(labels):
    return sorted({one.value for one in labels})


def test_published_worked_examples_come_out(shared_data):
    examples = json.loads((shared_data / "agreement" / "worked_examples.json").read_text())
    for example in examples:
        labels = from_matrix(example["data"])
        for metric, value in example["published"].items():
            found = report(labels, domain=domain_of(labels), metric=metric, **QUICK)
            assert round(found.alpha, 3) == value, (example["name"], metric)


@pytest.mark.parametrize("name", ["cac.raw4raters.csv", "xraw12x4.csv", "example_E_data.tsv"])
def test_the_four_rater_example_from_its_files(shared_data, name):
    rows = read_wide(shared_data / "agreement" / name)
    published = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849, "ratio": 0.797}
    for metric, value in published.items():
        found = report(rows, domain=(1, 2, 3, 4, 5), metric=metric, **QUICK)
        assert round(found.alpha, 3) == value
        assert (found.units, found.raters) == (12, 4)
        assert (found.pairable, found.pairable_units) == (40, 11)


def test_every_sample_file_equals_the_package(shared_data):
    for name in ("cac.raw5obser.csv", "cac.ben.gerry.csv"):
        labels = read_wide(shared_data / "agreement" / name)
        found = report(labels, domain=domain_of(labels), metric="nominal", **QUICK)
        units, raters = (list(dict.fromkeys(key)) for key in zip(*places(labels), strict=True))
        data = np.full((len(raters), len(units)), "nan", dtype=object)
        for one in labels:
            data[raters.index(one.rater), units.index(one.unit)] = str(one.value)
        theirs = krippendorff.alpha(data.astype(str), level_of_measurement="nominal")
        assert found.alpha == pytest.approx(theirs, abs=1e-12)


def places(labels):
    return [(one.unit, one.rater) for one in labels]


def read_wide(path):
    """Labels of a wide file: units in rows (csv) or in columns (tsv); words stay words."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
    rows = [[cell.strip() for cell in row] for row in rows]
    if path.suffix == ".tsv":
        rows = [list(column) for column in zip(*rows, strict=True)]
    start = rows[0].index("Units") + 1 if "Units" in rows[0] else 1
    return [
        Label(row[start - 1], rater, int(cell) if cell.isdigit() else cell)
        for row in rows[1:]
        for rater, cell in zip(rows[0][start:], row[start:], strict=True)
        if cell not in ("", "NULL")
    ]


@st.composite
def ragged(draw):
    """Codes [units, raters] with gaps, units of a single label, and levels nobody used."""
    values = draw(st.integers(2, 5))
    used = draw(st.lists(st.integers(0, values - 1), min_size=2, unique=True))
    raters = draw(st.integers(2, 5))
    cell = st.sampled_from([-1, *used])
    row = st.lists(cell, min_size=raters, max_size=raters)
    return values, np.array(draw(st.lists(row, min_size=2, max_size=25)))


@settings(max_examples=800, deadline=None)
@given(ragged(), st.sampled_from(METRICS))
def test_our_vectorised_alpha_equals_the_package(data, metric):
    values, codes = data
    counts = np.stack([(codes == value).sum(axis=1) for value in range(values)], axis=1)
    pairable = counts[counts.sum(axis=1) > 1]
    positions = np.arange(values, dtype=float)
    ours = float(alphas(coincidences(counts).sum(axis=0), positions, metric))
    if (pairable.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(ours)
        return
    raw = np.where(codes < 0, np.nan, codes).T
    theirs = krippendorff.alpha(raw, value_domain=positions, level_of_measurement=metric)
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert headline_alpha(pairable, positions, metric) == pytest.approx(theirs, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(ragged(), st.sampled_from(METRICS))
def test_the_report_has_the_packages_alpha_or_a_named_reason(data, metric):
    values, codes = data
    given = [(u, r) for u, row in enumerate(codes) for r, code in enumerate(row) if code >= 0]
    labels = [Label(u, r, int(codes[u, r])) for u, r in given]
    found = report(labels, domain=range(values), metric=metric, **QUICK)
    if found.undefined:
        assert found.alpha is None
        assert found.undefined in ("no_variation", "no_overlap", "one_rater")
        return
    raw = np.where(codes < 0, np.nan, codes).T
    theirs = krippendorff.alpha(raw, value_domain=range(values), level_of_measurement=metric)
    assert found.alpha == pytest.approx(theirs, abs=1e-12)


def test_many_alphas_at_once_are_those_of_each_alone():
    rng = np.random.default_rng(0)
    matrices = rng.random((50, 3, 3))
    matrices += matrices.transpose(0, 2, 1)
    for metric in METRICS:
        together = alphas(matrices, np.arange(3.0), metric)
        alone = [float(alphas(one, np.arange(3.0), metric)) for one in matrices]
        np.testing.assert_allclose(together, alone, atol=1e-15)


def test_the_order_of_a_domain_of_words_is_the_one_given():
    data = [["low", "mid", "high", "low"], ["low", "high", "high", "mid"]]
    codes = {"low": 0, "mid": 1, "high": 2}
    words = report(from_matrix(data), domain=("low", "mid", "high"), **QUICK)
    numbers = report(from_matrix([[codes[v] for v in row] for row in data]), **QUICK)
    assert words.alpha == numbers.alpha
