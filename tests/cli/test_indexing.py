"""`gitcontext index`: what it refuses, and before which work."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gitcontext_pipeline.state import STATE_VARIABLE, State
from tests.cli.conftest import Command
from tests.repositories import Repository

CORPUS = """\
type: gitcontext_pipeline.components.Corpus

attributes:
  name: shop
  origins:
    - git: https://example.com/shop.git
      revision: 3c7baaa05ab4aa49cc819ce3a819d260de19c157
"""


@pytest.fixture
def configured(here: Path) -> Path:
    """The YAML file of a project of one corpus; one stands in the project."""
    (here / "pyproject.toml").write_text(
        '[tool.dg]\ndirectory_type = "project"\n[tool.dg.project]\nroot_module = "shop_project"\n'
    )
    (here / "gitcontext_pipeline").mkdir()
    (here / "gitcontext_pipeline" / "definitions.py").touch()
    file = here / "shop_project" / "defs" / "corpora" / "shop" / "defs.yaml"
    file.parent.mkdir(parents=True)
    (here / "shop_project" / "__init__.py").touch()
    (here / "shop_project" / "defs" / "__init__.py").touch()
    file.write_text(CORPUS)
    sys.path.insert(0, str(here))
    return file


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("  name: shop\n", "  name: shop\n  histori: 3\n", 5, "attributes.histori: Extra inputs are not permitted"),
        ("revision: 3c7", "revision: xyz", 6, "attributes.origins.0.git.revision: String should match"),
        ("https://example.com", "ext::sh", 6, "attributes.origins.0.git.git: the transport 'ext' is not allowed"),
        ("  name: shop\n", "  name: shop\n  include: [a\n", 6, "expected ',' or ']'"),
        ("components.Corpus", "components.Korpus", None, "has no attribute `Korpus`"),
    ],
)
def test_a_mistake_in_a_yaml_file_is_told_with_its_file_line_and_field(
    gitcontext: Command, configured: Path, old: str, new: str, line: int | None, said: str
) -> None:
    configured.write_text(CORPUS.replace(old, new))
    result = gitcontext("index", "shop")
    assert result.exit_code == 2, result.output
    assert said in result.output
    assert line is None or f"{configured}:{line}: " in result.output
    assert "dg check defs" in result.output


@pytest.mark.parametrize("lines", [None, "not json\n", ""])
def test_a_golden_set_that_cannot_be_read_is_refused_before_any_work(
    gitcontext: Command, state: State, here: Path, lines: str | None
) -> None:
    repository = Repository(here / "repository")
    repository.commit("First", {"a.py": "x = 1\n"})
    if lines is not None:
        (here / "golden.jsonl").write_text(lines)
    result = gitcontext("index", repository.path, "--name", "shop", "--golden-set", "golden.jsonl")
    assert result.exit_code == 2, result.output
    assert "golden.jsonl" in result.output
    assert not state.corpus("shop").directory.exists()


def test_what_a_corpus_lacks_and_how_to_ask_it_is_told(
    gitcontext: Command, state: State, models: Path, here: Path
) -> None:
    repository = Repository(here / "repository")
    repository.commit("First", {"a.py": "def close_idle():\n    pass\n"})
    told = gitcontext("index", repository.path, "--name", "shop").output
    assert "no GitHub repository is known: --github OWNER/NAME" in told
    assert "no golden set: gitcontext eval init --corpus shop" in told
    assert 'published; to ask it: gitcontext ask --corpus shop "QUESTION"' in told


def test_links_of_another_github_server_lead_there(gitcontext: Command, state: State, models: Path, here: Path) -> None:
    repository = Repository(here / "repository")
    repository.commit("First", {"a.py": "def close_idle():\n    pass\n"})
    named = ("--github", "acme/shop", "--github-url", "https://git.example.com/")
    indexed = gitcontext("index", repository.path, "--name", "shop", *named)
    assert indexed.exit_code == 0
    assert "links name the commit alone" not in indexed.output
    found = gitcontext("search", "close idle", "--corpus", "shop").output
    assert f"https://git.example.com/acme/shop/blob/{repository.head}/a.py#L1-L2" in found


def test_a_notebook_and_a_line_too_long_to_read_are_linked_and_published(
    gitcontext: Command, state: State, models: Path, here: Path
) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Water levels\n", "\n", "How full each bucket is."]},
        {"cell_type": "code", "source": ["levels = measure()\n", "levels.plot()"], "outputs": []},
    ]
    icon = f'def bucket_icon():\n    """A picture."""\n    return "{"A" * 4000}"\n'
    repository = Repository(here / "repository")
    repository.commit("First", {"levels.ipynb": json.dumps({"cells": cells}, indent=1), "icon.py": icon})
    indexed = gitcontext("index", repository.path, "--name", "shop", "--github", "acme/shop")
    assert (indexed.exit_code, "not published" in indexed.output) == (0, False), indexed.output
    found = json.loads(gitcontext("search", "water levels, bucket icon", "--json").stdout)
    blob = f"https://github.com/acme/shop/blob/{repository.head}"
    links = {each["symbol"]: each["url"] for each in found if each["symbol_kind"] in {"section", "function"}}
    assert links["Water levels"] == f"{blob}/levels.ipynb?plain=1#L6-L8"
    assert links["bucket_icon"] == f"{blob}/icon.py#L1-L3"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--github-url", "https://git.example.com"), "add --github OWNER/NAME"),
        (("--github", "acme/shop", "--github-url", "git.example.com"), "a GitHub server is https://HOST"),
    ],
)
def test_a_github_server_that_cannot_be_linked_to_is_refused(
    gitcontext: Command, state: State, here: Path, options: tuple[str, ...], said: str
) -> None:
    repository = Repository(here / "repository")
    repository.commit("First", {"a.py": "x = 1\n"})
    result = gitcontext("index", repository.path, "--name", "shop", *options)
    assert result.exit_code == 2
    assert said in result.output
    assert not state.corpus("shop").directory.exists()


def test_a_full_disk_is_told_and_what_is_published_goes_on_answering(
    gitcontext: Command, here: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = here / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs to mount a small file system")
    try:
        monkeypatch.setenv(STATE_VARIABLE, str(disk))
        (disk / "models").symlink_to(models)
        repository = Repository(here / "repository")
        repository.commit("First", {"a.py": "def close_idle():\n    pass\n"})
        assert gitcontext("index", repository.path, "--name", "shop").exit_code == 0
        repository.commit("Second", {f"m{n}.py": f"def close_{n}():\n    pass\n" for n in range(200)})
        with (disk / "ballast").open("wb") as ballast:
            ballast.write(b"x" * (shutil.disk_usage(disk).free - 100_000))
        result = gitcontext("index", repository.path, "--name", "shop")
        assert result.exit_code == 3, result.output
        assert "there is no room" in result.output
        assert "MB are free" in result.output
        assert "close_idle" in gitcontext("search", "close idle", "--corpus", "shop").output
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)
