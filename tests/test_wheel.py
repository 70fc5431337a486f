"""The wheel, as a user installs it: built from the tree, unpacked elsewhere, and used from a folder outside of both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WITHOUT_TRACES = shutil.ignore_patterns("__pycache__", "*.egg-info")
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
BOARDLAB = [sys.executable, "-c", "from boardlab.cli.main import main; main()"]


def run(folder: Path, *command: str, site: Path | None = None) -> str:
    folder.mkdir(exist_ok=True)
    paths = {"PYTHONPATH": str(site)} if site else {}
    ran = subprocess.run(
        command, cwd=folder, env=os.environ | paths, capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel. It is built from a copy, so that nothing is left in the tree."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT / "boardlab", source / "boardlab", ignore=WITHOUT_TRACES)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    run(folder, *PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("boardlab-*.whl")
    run(folder, *PIP, "install", "--no-deps", "--no-index", "--target", str(folder / "site"), str(wheel))
    return folder / "site"


def test_it_has_every_file_of_the_package(site: Path) -> None:
    def files(package: Path) -> set[Path]:
        found = {path.relative_to(package) for path in package.rglob("*") if path.is_file()}
        return {path for path in found if "__pycache__" not in path.parts}

    assert files(site / "boardlab") == files(ROOT / "boardlab")


def test_it_works_from_another_folder(site: Path, tmp_path: Path) -> None:
    where = run(tmp_path, sys.executable, "-c", "import boardlab; print(boardlab.__file__)", site=site)
    assert Path(where.strip()).is_relative_to(site)
    assert "Commands" in run(tmp_path, *BOARDLAB, "--help", site=site)
    assert "connect4" in run(tmp_path, *BOARDLAB, "games", site=site)
    assert "lost in 36 plies" in run(tmp_path, *BOARDLAB, "solve", "connect4", "4453", site=site)  # from the book


def test_it_learns(site: Path, tmp_path: Path) -> None:
    options = ["--episodes", "200", "--evaluate-every", "200", "--evaluator", "random", "--seed", "1"]
    run(tmp_path, *BOARDLAB, "train", "nimm3", *options, site=site)
    assert {path.name for path in (tmp_path / "agents").iterdir()} == {"nimm3.agent", "nimm3.csv", "nimm3.png"}
