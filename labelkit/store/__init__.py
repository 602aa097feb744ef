"""The workspace's SQLite file: the only code that holds SQL.

Every operation opens a short connection through `Workspace.reading()` or `Workspace.writing()`.
Other packages pass a `Connection` on, and hold no SQL.
"""

from sqlite3 import Connection
from sqlite3 import IntegrityError as RuleBroken

from labelkit.store.workspace import Workspace, now

__all__ = ["Connection", "RuleBroken", "Workspace", "now"]
