"""The tree is the architecture: imports point one way, and heavy ones are made late."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.api import read_configuration
from importlinter.application.use_cases import SUCCESS
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[1]
HEAVY = ("torch", "faiss", "pandas", "streamlit", "sentence_transformers", "openai", "wordllama")


def test_the_import_rules_of_pyproject_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT))
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0, (
        capsys.readouterr().out
    )
    assert SUCCESS


def test_every_package_and_module_has_its_layer() -> None:
    contracts = read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    layers = next(one for one in contracts if one["type"] == "layers")["layers"]
    named = {name.strip() for layer in layers for name in layer.split("|")}
    there = {
        path.stem
        for path in (ROOT / "labelkit").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    } - {"__init__", "__main__", "__pycache__"}
    assert there == named


def test_sql_is_run_in_the_store_and_nowhere_else() -> None:
    outside = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [*(ROOT / "labelkit").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
        if "store" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("execute", "executemany", "executescript")
    ]
    assert outside == []


@pytest.mark.parametrize(
    "statement",
    [
        "from labelkit.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "import labelkit.judging, labelkit.releases, labelkit.importing, labelkit.drafting",
        "import labelkit; labelkit.init",
    ],
    ids=["labelkit --help", "the verbs", "import labelkit"],
)
def test_heavy_packages_are_not_loaded_by(statement: str) -> None:
    script = f"{statement}\nimport sys\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[-2] == "[]"
