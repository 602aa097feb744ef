"""Importing files: look first, then all of the file or nothing of it."""

from labelkit.importing.columns import NAMES, REQUIRED
from labelkit.importing.preview import (
    KINDS,
    ImportPreview,
    Matching,
    match_columns,
    preview,
    sample,
)
from labelkit.importing.writing import ImportReport, apply, import_file, import_files

__all__ = [
    "KINDS",
    "NAMES",
    "REQUIRED",
    "ImportPreview",
    "ImportReport",
    "Matching",
    "apply",
    "import_file",
    "import_files",
    "match_columns",
    "preview",
    "sample",
]
