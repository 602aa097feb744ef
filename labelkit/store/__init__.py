"""The workspace's SQLite file: the only code that holds SQL.

Every operation opens a short connection through `Workspace.reading()` or `Workspace.writing()`.
"""

from labelkit.store.workspace import Workspace, now

__all__ = ["Workspace", "now"]
