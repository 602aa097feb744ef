"""Agreement between raters: takes labels, returns a report; does not know where it runs."""

from labelkit.agreement.breakdown import Conflict, HotSpot, RaterPair
from labelkit.agreement.labels import METRICS, Label
from labelkit.agreement.report import AgreementReport, report, report_of

__all__ = [
    "METRICS",
    "AgreementReport",
    "Conflict",
    "HotSpot",
    "Label",
    "RaterPair",
    "report",
    "report_of",
]
