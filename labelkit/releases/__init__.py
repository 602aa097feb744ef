"""Frozen releases: made once, verified before every use, never changed."""

from labelkit.releases.exporting import export
from labelkit.releases.freezing import Frozen, freeze, readiness
from labelkit.releases.readiness import Readiness
from labelkit.releases.reading import Release, Verification, archive, find, load, verify
from labelkit.store.releases import ReleaseRow
from labelkit.store.releases import all as list_releases

__all__ = [
    "Frozen",
    "Readiness",
    "Release",
    "ReleaseRow",
    "Verification",
    "archive",
    "export",
    "find",
    "freeze",
    "list_releases",
    "load",
    "readiness",
    "verify",
]
