"""Importing files: look first, then all of the file or nothing of it."""

from labelkit.importing.preview import KINDS, ImportPreview, preview
from labelkit.importing.writing import ImportReport, apply, import_file

__all__ = ["KINDS", "ImportPreview", "ImportReport", "apply", "import_file", "preview"]
