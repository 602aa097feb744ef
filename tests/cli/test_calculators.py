"""`labelkit score` and `labelkit alpha` as a person runs them."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys

import pytest

from labelkit import cli

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 c 1\nq2 0 a 2\nq3 0 a 0\n"
RUN = "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 x 3 1 t\nq3 Q0 a 1 1 t\n"


@pytest.fixture
def labelkit(capsys, monkeypatch):
    """Run the command line in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        code = 0
        try:
            cli.main([str(one) for one in arguments])
        except SystemExit as stopped:
            code = stopped.code or 0
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "bm25.run").write_text(RUN)
    return tmp_path


def scored(labelkit, files, *more):
    code, out, err = labelkit(
        "score", "--qrels", files / "qrels.txt", "--run", files / "bm25.run", "--json", *more
    )
    assert (code, err) == (0, "")
    return json.loads(out)["runs"]


def test_score_gives_means_with_intervals_and_what_they_stand_on(labelkit, files):
    """q1 scores 0.722424, q2 is missing and scores 0, q3 has no relevant document."""
    (run,) = scored(labelkit, files, "--metric", "ndcg@10")
    assert (run["name"], run["n"], run["excluded"], run["missing"]) == ("bm25", 2, 1, 1)
    figures = run["metrics"]["ndcg@10"]
    assert figures["mean"] == pytest.approx(0.722424 / 2, abs=5e-7)
    assert figures["low"] <= figures["mean"] <= figures["high"]
    assert run["excluded_queries"] == {"ndcg@10": ["q3"]}
    assert run["missing_queries"] == ["q2"]
    assert run["coverage"] == pytest.approx(2 / 3)


def test_recall_comes_with_mrr_and_judged_beside_it(labelkit, files):
    (run,) = scored(labelkit, files, "--metric", "recall@5")
    assert list(run["metrics"]) == ["recall@5", "mrr@5", "judged@5"]


def test_the_threshold_changes_recall_and_is_shown(labelkit, files):
    strict, lenient = (
        scored(labelkit, files, "--metric", "recall@2", "--relevant-level", level)[0]
        for level in (2, 1)
    )
    assert (strict["relevant_level"], lenient["relevant_level"]) == (2, 1)
    assert strict["metrics"]["recall@2"]["mean"] == pytest.approx(1 / 2)
    assert lenient["metrics"]["recall@2"]["mean"] == pytest.approx((2 / 3) / 2)
    assert strict["at_level_1"]["recall@2"] == lenient["metrics"]["recall@2"]["mean"]


def test_zero_and_drop_choose_what_counts(labelkit, files):
    (run,) = scored(labelkit, files, "--metric", "ndcg@10", "--no-relevant", "zero")
    assert (run["n"], run["excluded"]) == (3, 0)
    assert run["metrics"]["ndcg@10"]["mean"] == pytest.approx(0.722424 / 3, abs=5e-7)
    (run,) = scored(labelkit, files, "--metric", "ndcg@10", "--missing", "drop")
    assert (run["n"], run["missing"]) == (1, 1)
    assert run["metrics"]["ndcg@10"]["mean"] == pytest.approx(0.722424, abs=5e-7)
    assert run["metrics"]["ndcg@10"]["low"] is None


def test_per_query_values_go_to_a_csv(labelkit, files):
    target = files / "out.csv"
    scored(labelkit, files, "--metric", "recall@10", "--per-query", target)
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["query_id", "run", "metric", "relevant_level", "value"]
    recall = [row for row in rows if row["metric"] == "recall@10"]
    assert [(row["query_id"], row["run"], row["relevant_level"]) for row in recall] == [
        ("q1", "bm25", "2"),
        ("q2", "bm25", "2"),
    ]
    assert [float(row["value"]) for row in recall] == [1.0, 0.0]


def test_what_ties_hide_is_said(labelkit, files):
    """Three tied with one relevant: E[nDCG] 0.710310, E[RR] 0.611111, from 0.5 and 1/3 to 1."""
    (files / "qrels.txt").write_text("q1 0 a 2\nq1 0 b 0\nq1 0 c 0\n")
    (files / "bm25.run").write_text("".join(f"q1 Q0 {doc} 1 7.5 tied\n" for doc in "abc"))
    (run,) = scored(labelkit, files, "--metric", "ndcg@10", "--metric", "mrr@10")
    expected = {"low": 0.5, "high": 1.0, "expected": 0.710310}
    assert run["ties"]["ndcg@10"] == pytest.approx(expected, abs=5e-7)
    expected = {"low": 1 / 3, "high": 1.0, "expected": 0.611111}
    assert run["ties"]["mrr@10"] == pytest.approx(expected, abs=5e-7)
    assert any("equal scores move ndcg@10 between 0.5000 and 1.0000" in w for w in run["warnings"])
    assert run["ties"]["recall@10"] == {"low": 1.0, "high": 1.0, "expected": 1.0}


def test_several_runs_keep_their_order_and_equal_names_become_paths(labelkit, files):
    (files / "sub").mkdir()
    other = files / "sub" / "bm25.run.gz"
    other.write_bytes(gzip.compress(RUN.encode()))
    runs = scored(labelkit, files, "--run", other)
    assert [one["name"] for one in runs] == [str(files / "bm25.run"), str(other)]
    assert runs[0]["metrics"] == runs[1]["metrics"]


def test_beir_qrels_are_scored_as_well(labelkit, files):
    (files / "qrels.txt").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    (run,) = scored(labelkit, files, "--metric", "mrr@10")
    assert run["metrics"]["mrr@10"]["mean"] == 0.5
    assert any("no level above 1" in warning for warning in run["warnings"])


def test_the_table_for_people_has_the_same_figures(labelkit, files):
    code, out, _ = labelkit(
        "score", "--qrels", files / "qrels.txt", "--run", files / "bm25.run", "--metric", "ndcg@10"
    )
    assert code == 0
    assert "bm25: 2 queries, 1 without a relevant document, 1 missing" in out
    assert "ndcg@10" in out
    assert "0.3612" in out


def test_trec_evals_own_test_files_score_as_published(labelkit, shared_data):
    folder = shared_data / "trec_eval"
    code, out, _ = labelkit(
        *("score", "--qrels", folder / "qrels.test", "--run", folder / "results.test", "--json"),
        *("--metric", "ap", "--metric", "ndcg@10", "--metric", "recall@100", "--relevant-level", 1),
    )
    means = {name: one["mean"] for name, one in json.loads(out)["runs"][0]["metrics"].items()}
    assert code == 0
    assert {name: round(means[name], 4) for name in ("ap", "ndcg@10", "recall@100")} == {
        "ap": 0.1785,
        "ndcg@10": 0.3016,
        "recall@100": 0.4980,
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"qrels.txt": "q1 0 a -1\n"}, "line 1"),
        ({"bm25.run": "q1 Q0 a 1 nan t\n"}, "NaN"),
        ({"bm25.run": "other Q0 a 1 1 t\n"}, "no query id of the run"),
        ({"bm25.run": ""}, "no rows"),
        ({"qrels.txt": None}, "No such file"),
    ],
)
def test_bad_files_end_with_one_line_and_exit_code_one(labelkit, files, change, says):
    for name, text in change.items():
        (files / name).unlink() if text is None else (files / name).write_text(text)
    code, out, err = labelkit("score", "--qrels", files / "qrels.txt", "--run", files / "bm25.run")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert says in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "--qrels", "x", "--run", "y", "--metric", "ndcg"],
        ["score", "--qrels", "x", "--run", "y", "--relevant-level", "0"],
        ["alpha"],
        ["alpha", "x", "--metric", "cosine"],
    ],
)
def test_wrong_usage_ends_with_exit_code_two(labelkit, arguments):
    code, out, err = labelkit(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err


def table(tmp_path, text):
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return path


def test_alpha_of_a_long_table_is_the_published_value(labelkit, tmp_path, shared_data):
    examples = json.loads((shared_data / "agreement" / "worked_examples.json").read_text())
    example = next(one for one in examples if "ratio" in one["published"])
    rows = [
        f"{unit},{rater},{'' if value is None else value}"
        for rater, row in enumerate(example["data"])
        for unit, value in enumerate(row)
    ]
    path = table(tmp_path, "unit,rater,value\n" + "\n".join(rows))
    for metric, value in example["published"].items():
        code, out, _ = labelkit("alpha", path, "--metric", metric, "--json")
        found = json.loads(out)
        assert code == 0
        assert round(found["alpha"], 3) == value
        assert found["low"] < found["alpha"] < found["high"]
        assert (found["units"], found["raters"], found["pairable"]) == (12, 4, 40)
        assert found["undefined"] is None


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("u,a,1\nu,b,1\nv,a,1\nv,b,1\n", "no_variation"),
        ("u,a,1\nv,b,2\n", "no_overlap"),
        ("u,a,1\nv,a,2\n", "one_rater"),
    ],
)
def test_alpha_names_why_there_is_no_value(labelkit, tmp_path, rows, reason):
    code, out, _ = labelkit("alpha", table(tmp_path, "unit,rater,value\n" + rows), "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["alpha"], found["low"], found["undefined"]) == (None, None, reason)


def test_words_need_their_order_for_the_ordinal_metric(labelkit, tmp_path):
    path = table(tmp_path, "unit,rater,value\nu,a,low\nu,b,high\nv,a,mid\nv,b,mid\n")
    code, _, err = labelkit("alpha", path)
    assert code == 1
    assert "--domain low,mid,high" in err
    assert labelkit("alpha", path, "--domain", "low,mid,high")[0] == 0
    assert labelkit("alpha", path, "--metric", "nominal")[0] == 0


def test_numbers_are_ordered_as_numbers(labelkit, tmp_path):
    path = table(tmp_path, "unit,rater,value\nu,a,10\nu,b,9\nv,a,1\nv,b,1.0\nw,a,9\nw,b,9\n")
    found = json.loads(labelkit("alpha", path, "--json")[1])
    assert found["domain"] == [1, 9, 10]


def test_the_cluster_column_is_used_for_the_interval(labelkit, tmp_path):
    rows = "".join(
        f"u{u},{rater},{(u + (rater == 'b' and u % 3 == 0)) % 3},q{u // 5}\n"
        for u in range(40)
        for rater in "ab"
    )
    grouped = table(tmp_path, "unit,rater,value,cluster\n" + rows)
    one = json.loads(labelkit("alpha", grouped, "--json")[1])
    plain = "".join(line.rsplit(",", 1)[0] + "\n" for line in rows.splitlines())
    alone = table(tmp_path, "unit,rater,value\n" + plain)
    other = json.loads(labelkit("alpha", alone, "--json")[1])
    assert one["alpha"] == other["alpha"]
    assert one["low"] != other["low"]


def test_the_text_is_a_sentence_with_the_coincidences(labelkit, tmp_path):
    path = table(tmp_path, "unit,rater,value\nu,a,0\nu,b,0\nv,a,2\nv,b,1\n")
    code, out, _ = labelkit("alpha", path, "--domain", "0,1,2")
    assert code == 0
    assert "Krippendorff's alpha is" in out
    assert "too few: 2 units" in out
    assert "coincidences" in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("unit,rater\nu,a\n", "no column value"),
        ("unit,rater,value\nu,a,7\nu,b,1\n", "line 2, column 'value': '7' is not in the domain"),
        ("unit,rater,value\nu,a,1\nu,a,2\n", "two labels on unit 'u'"),
        ("unit,rater,value\nu,a\n", "line 2"),
        ("unit,rater,value\n", "no row has a value"),
        ("", "empty"),
    ],
)
def test_a_bad_table_ends_with_one_line_and_exit_code_one(labelkit, tmp_path, text, says):
    code, out, err = labelkit("alpha", table(tmp_path, text), "--domain", "0,1,2")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert says in err


def test_a_missing_table_ends_with_one_line_and_exit_code_one(labelkit, tmp_path):
    code, _, err = labelkit("alpha", tmp_path / "absent.csv")
    assert (code, err.count("\n")) == (1, 1)
    assert "No such file" in err


@pytest.mark.parametrize("command", ["score", "alpha"])
def test_the_calculators_never_load_what_is_heavy(files, command):
    """torch, faiss, pandas and streamlit cost seconds and are not needed."""
    (files / "labels.csv").write_text("unit,rater,value\nu,a,0\nu,b,1\n")
    arguments = {
        "score": ["--qrels", str(files / "qrels.txt"), "--run", str(files / "bm25.run")],
        "alpha": [str(files / "labels.csv")],
    }
    program = (
        "import sys; from labelkit.cli import main\n"
        f"main({[command, *arguments[command]]!r})\n"
        "heavy = {'torch', 'faiss', 'pandas', 'streamlit', 'scipy', 'sentence_transformers'}\n"
        "sys.exit(f'loaded {heavy & set(sys.modules)}' if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
