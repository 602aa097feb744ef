"""Importing files: look first, then all of the file or nothing of it."""

from labelkit.importing.columns import NAMES, REQUIRED, missing
from labelkit.importing.options import ImportOptions
from labelkit.importing.preview import (
    KINDS,
    ImportPreview,
    Matching,
    match_columns,
    preview,
    sample,
)
from labelkit.importing.reports import ImportReport, problems_csv
from labelkit.importing.writing import apply, import_file, import_files, preview_path, write_all

__all__ = [
    "KINDS",
    "NAMES",
    "REQUIRED",
    "ImportOptions",
    "ImportPreview",
    "ImportReport",
    "Matching",
    "apply",
    "import_file",
    "import_files",
    "match_columns",
    "missing",
    "preview",
    "preview_path",
    "problems_csv",
    "sample",
    "write_all",
]
