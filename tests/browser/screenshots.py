"""Pictures of every page, wide and narrow, light and dark, into screenshots/ to be looked at.

    python tests/browser/screenshots.py [WORKSPACE] [PAGE ...]

The workspace (else .demo, else a small sample) is copied first: looking changes nothing in it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import harness
import samples

from labelkit.model import Role
from labelkit.store import Workspace, people
from labelkit.ui.navigation import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = harness.ROOT / "screenshots"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
VISITOR = "Visitor"


def copy_of(source: Path | None, folder: Path) -> Workspace:
    """A workspace that the pictures may write to, with a visitor who may see everything."""
    target = folder / "workspace"
    if source is None:
        workspace = samples.judged_from_scratch(target)
    else:
        shutil.copytree(source, target)
        workspace = Workspace.open(target)
    people.add(workspace, VISITOR, tuple(Role))
    return workspace


def picture_all(browser: Browser, server: harness.Server, wanted: list[str]) -> None:
    """Every page, in every size and scheme."""
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(
                color_scheme=scheme,  # type: ignore[arg-type]
                viewport={"width": width, "height": height},
                has_touch=size == "phone",
            )
            page = context.new_page()
            harness.open_page(page, server.url)
            _picture(page, f"sign-in-{size}-{scheme}")
            harness.sign_in(page, VISITOR)
            for spec in PAGES.values():
                if (harness.ROOT / spec.file).exists() and (not wanted or spec.name in wanted):
                    _visit(page, server, spec.file)
                    _picture(page, f"{spec.name}-{size}-{scheme}", whole=spec.name != "label")
                    page.set_viewport_size({"width": width, "height": height})
            context.close()


def _visit(page: Page, server: harness.Server, file: str) -> None:
    path = "" if file == "app.py" else f"/{Path(file).stem}"
    harness.open_page(page, f"{server.url}{path}")
    page.wait_for_timeout(600)  # charts draw themselves after the script has ended


def _picture(page: Page, name: str, *, whole: bool = False) -> None:
    if whole:
        tall = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        size = page.viewport_size
        if size is not None and tall > size["height"]:
            page.set_viewport_size({"width": size["width"], "height": min(tall, 6000)})
            page.wait_for_timeout(400)
    page.screenshot(path=FOLDER / f"{name}.png")
    print(f"screenshots/{name}.png")


def main(arguments: list[str]) -> None:
    """Take the pictures."""
    known = [name for name in arguments if name in PAGES]
    given = [Path(name) for name in arguments if name not in PAGES]
    demo = harness.ROOT / ".demo"
    source = given[0] if given else demo if (demo / "labelkit.db").exists() else None
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        workspace = copy_of(source, Path(folder))
        with harness.serving(workspace.path) as server, harness.chromium() as browser:
            picture_all(browser, server, known)


if __name__ == "__main__":
    main(sys.argv[1:])
