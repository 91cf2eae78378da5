"""The shipped corpus, psf/requests, as people materialize it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from gitcontext_pipeline.state import STATE_VARIABLE, State

ROOT = Path(__file__).resolve().parents[1]
MATERIALIZE = ("dagster", "asset", "materialize", "--select", "group:requests", "-m", "gitcontext_pipeline.definitions")


def materialize(state: State) -> None:
    """Run the asset graph in a process of its own, as the README says, with its state there."""
    env = {**os.environ, STATE_VARIABLE: str(state.root), "PYTHONWARNINGS": "ignore"}
    command = [str(Path(sys.executable).parent / MATERIALIZE[0]), *MATERIALIZE[1:]]
    made = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=900)
    assert made.returncode == 0, made.stderr[-4000:]
