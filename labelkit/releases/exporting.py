"""A release in the forms that other tools read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from labelkit.errors import InputError, NotReady
from labelkit.releases.forms import FORMS, NEED_TEXTS, write
from labelkit.releases.packing import zipped
from labelkit.releases.reading import Release

DEFAULT_FORMS = ("trec", "beir")


def export(release: Release, out: Path, forms: Sequence[str] = DEFAULT_FORMS) -> list[Path]:
    """Write a release in these forms (see FORMS) into a new folder; returns the files.

    The same release gives the same bytes. Raises InputError where the folder holds anything or
    a form is unknown, NotReady where a form needs the texts and the release has none.
    """
    _check(release, forms)
    if out.exists() and any(out.iterdir()):
        raise InputError("the folder is not empty: choose a new one.", file=out)
    out.mkdir(parents=True, exist_ok=True)
    return write(out, _files(release, forms))


def export_zip(release: Release, form: str) -> bytes:
    """The same files of one form as a zip, in a folder that is named by tag and form."""
    _check(release, [form])
    files = _files(release, [form])
    return zipped({f"{release.tag}-{form}/{name}": data for name, data in files.items()})


def _files(release: Release, forms: Sequence[str]) -> dict[str, bytes]:
    return {name: data for form in forms for name, data in FORMS[form](release).items()}


def _check(release: Release, forms: Sequence[str]) -> None:
    unknown = [form for form in forms if form not in FORMS]
    if unknown or not forms:
        raise InputError(f"there is no form {unknown}; choose from {', '.join(FORMS)}.")
    if not release.texts and set(forms) & set(NEED_TEXTS):
        raise NotReady(
            f"Release {release.tag!r} was frozen without texts, which {' and '.join(NEED_TEXTS)} "
            "need: name the corpus first."
        )
