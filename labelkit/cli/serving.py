"""Commands around the app: serve, demo, doctor."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

import labelkit
from labelkit.cli.common import (
    Progress,
    json_option,
    maybe_workspace,
    open_workspace,
    show,
    workspace_option,
)
from labelkit.errors import NotReady

if TYPE_CHECKING:
    from labelkit.doctor import Finding

HOST = "127.0.0.1"
FIRST_PORT = 8501
PORTS_TRIED = 50


@click.command()
@workspace_option
@click.option("--port", type=int, help=f"Default: the first free one from {FIRST_PORT}.")
def serve(workspace_path: str, port: int | None) -> None:
    """Serve the app in the browser, on this machine only, until Ctrl+C."""
    workspace = open_workspace(workspace_path)
    root = Path(labelkit.__file__).parent.parent
    if not (root / "app.py").exists():
        raise NotReady(f"There is no app.py in {root}: run labelkit from a clone.")
    chosen = port or _free_port()
    click.echo(f"labelkit serves {workspace.name}: http://{HOST}:{chosen}  (Ctrl+C ends it)")
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.address={HOST}", f"--server.port={chosen}"]
    environment = {**os.environ, "LABELKIT_WORKSPACE": str(workspace.path)}
    process = subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.terminate()
        process.wait()
        click.echo("\nlabelkit has stopped.")
        return
    if code:
        raise NotReady(f"The server ended at once (code {code}); is port {chosen} taken?")


def _as_interrupt(number: int, frame: object) -> None:
    """Let a service manager's stop end the server as Ctrl+C does."""
    raise KeyboardInterrupt


def _free_port() -> int:
    for port in range(FIRST_PORT, FIRST_PORT + PORTS_TRIED):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) != 0:
                return port
    raise NotReady(f"No port from {FIRST_PORT} on is free: name one with --port.")


@click.command()
@workspace_option
@json_option
def doctor(workspace_path: str, as_json: bool) -> None:
    """Check the installation and the workspace and say what is wrong."""
    from labelkit.doctor import examine

    workspace = maybe_workspace(workspace_path)
    found = examine(workspace)
    if workspace is None:
        found.append(_no_workspace(workspace_path))
    lines = [f"{finding.state:5}  {finding.subject}: {finding.text}" for finding in found]
    show([finding.as_dict() for finding in found], as_json, "\n".join(lines))
    if any(finding.state == "wrong" for finding in found):
        sys.exit(1)


def _no_workspace(path: str) -> Finding:
    """Wrong where somebody named the workspace; else a note: the installation alone was asked."""
    from labelkit.doctor import Finding

    named = click.get_current_context().get_parameter_source("workspace_path")
    return Finding(
        "note" if named is ParameterSource.DEFAULT else "wrong",
        "workspace",
        f"there is none at {path}: make one with 'labelkit init --workspace {path}'",
    )


@click.command()
@workspace_option
@json_option
def demo(workspace_path: str, as_json: bool) -> None:
    """Build the demo workspace, run its benchmark, print the table and the decision."""
    from labelkit import bench
    from labelkit.demo import build, running

    progress = Progress()
    built = build.build(Path(workspace_path), lambda text: click.echo(text, err=True), progress)
    progress.end()
    if not built.fresh:
        click.echo(f"Using the demo in {built.workspace.path}. {built.drift}", err=True)
    click.echo("Running the demo's benchmark ...", err=True)
    result = running.run(built.workspace, progress)
    progress.end()
    show(dict(result.summary), as_json, f"\n{bench.run_text(result)}\n")
