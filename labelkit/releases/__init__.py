"""Frozen releases: made once, verified before every use, never changed."""

from labelkit.releases.adopting import Adopted, adopt
from labelkit.releases.corpus import complete
from labelkit.releases.diffing import ReleaseDiff, diff, diff_text
from labelkit.releases.exporting import export, export_zip
from labelkit.releases.forms import FORMS, NEED_TEXTS
from labelkit.releases.freezing import Frozen, freeze, readiness
from labelkit.releases.merging import MergeConflict, merge_conflicts
from labelkit.releases.packing import archive, unpack
from labelkit.releases.readiness import Readiness
from labelkit.releases.reading import (
    Release,
    Verification,
    find,
    load,
    untouched,
    verify,
)
from labelkit.store.releases import ReleaseRow
from labelkit.store.releases import all as list_releases

__all__ = [
    "FORMS",
    "NEED_TEXTS",
    "Adopted",
    "Frozen",
    "MergeConflict",
    "Readiness",
    "Release",
    "ReleaseDiff",
    "ReleaseRow",
    "Verification",
    "adopt",
    "archive",
    "complete",
    "diff",
    "diff_text",
    "export",
    "export_zip",
    "find",
    "freeze",
    "list_releases",
    "load",
    "merge_conflicts",
    "readiness",
    "unpack",
    "untouched",
    "verify",
]
