"""Binder's recipe, checked without Docker: the Dockerfile it becomes, and its steps replayed.

The replay makes a clean environment with the JupyterLab of Binder's base image, installs what
binder/requirements.txt says from a copy of the tracked files, and runs postBuild. It does not
cover the apt packages, conda or the user of the image.
"""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest
from traitlets.config import Configurable

ROOT = Path(__file__).resolve().parent.parent
BINDER = ROOT / "binder"
# pinned by repo2docker 2026.4 for Python 3.11 to 3.13, together with ipywidgets 8.1.7
BASE_IMAGE = ("jupyterlab==4.4.9", "ipywidgets==8.1.7")
ONE_LESSON = """
import minigrad
x = minigrad.ones(2, 2, requires_grad=True)
out = (x * x).mean()
svg = minigrad.draw(out).to_svg()
player = minigrad.step(out)
assert "MulBackward0" in svg and "MulBackward0" in player.to_json() and "<script" in player.to_html()
print(minigrad.__file__, x.grad.tolist())
"""

windows = pytest.mark.skipif(os.name == "nt", reason="Binder's recipe is for Linux")


@pytest.fixture(scope="module")
def dockerfile() -> str:
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


@windows
def test_the_image_gets_the_python_that_we_name(dockerfile: str):
    python, _, version = (BINDER / "runtime.txt").read_text().strip().partition("-")

    assert python == "python"
    assert tuple(map(int, version.split("."))) >= (3, 11)
    # repo2docker names its locked environment by the version, dots and dashes in hexadecimal
    assert "py-2d" + version.replace(".", "-2e") in dockerfile


@windows
def test_the_image_gets_fonts_packages_and_the_last_step(dockerfile: str):
    packages = (BINDER / "apt.txt").read_text().split()

    assert {"fonts-noto-cjk", "graphviz"} <= set(packages)
    assert all(package in dockerfile for package in packages)
    assert 'pip install --no-cache-dir -r "binder/requirements.txt"' in dockerfile
    assert "./binder/postBuild" in dockerfile


@windows
def test_the_last_step_can_be_run():
    script = BINDER / "postBuild"

    assert script.stat().st_mode & stat.S_IXUSR
    assert script.read_text().startswith("#!")


def test_the_lab_of_the_image_is_left_alone():
    assert "jupyterlab" not in (BINDER / "requirements.txt").read_text()


def copy_tracked_files(destination: Path) -> None:
    """What a clone would have: the tracked files, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, destination / name)


def replay() -> list[subprocess.CompletedProcess[str]]:
    """The recipe's steps in a folder of their own; the last that ran is the first that failed."""
    with tempfile.TemporaryDirectory() as folder:
        checkout, environment, home = (Path(folder, name) for name in ("checkout", "env", "home"))
        home.mkdir()
        copy_tracked_files(checkout)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PYTHON", "VIRTUAL_ENV", "JUPYTER", "CONDA"))}
        outside = kept | {
            "HOME": str(home), "PATH": f"{environment / 'bin'}{os.pathsep}{kept['PATH']}",
            "PIP_CACHE_DIR": str(Path("~/.cache/pip").expanduser()), "LC_ALL": "C.UTF-8",
        }
        steps = []
        for command in (
            (sys.executable, "-m", "venv", str(environment)),
            ("pip", "install", "--quiet", *BASE_IMAGE, "-r", "binder/requirements.txt"),
            ("./binder/postBuild",),
            ("python", "-c", ONE_LESSON),
            ("pip", "check"),
        ):
            steps.append(subprocess.run(command, cwd=home if command[0] == "python" else checkout, env=outside,
                                        capture_output=True, encoding="utf-8"))
            if steps[-1].returncode:
                break
    return steps


@windows
@pytest.mark.long
def test_the_recipe_gives_a_working_lab_in_a_clean_environment():
    result = replay()

    assert result[-1].returncode == 0, (result[-1].stdout + result[-1].stderr)[-3000:]
    _, _, trusted, lesson, _ = (step.stdout for step in result)

    assert trusted.count("Signing notebook") == len(list(ROOT.glob("notebooks/*/*/*.ipynb")))
    assert "/env/" in lesson                # the installed copy, not the checkout
    assert "[[0.5, 0.5], [0.5, 0.5]]" in lesson


class Settings:
    """What JupyterHub's `get_config()` gives: anything can be set on it."""

    def __getattr__(self, name: str) -> Settings:
        self.__dict__[name] = Settings()
        return self.__dict__[name]


def test_a_student_of_the_hub_gets_the_notebooks_and_keeps_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MINIGRAD_CLASS", str(tmp_path / "class"))
    monkeypatch.setenv("MINIGRAD_CLASS_PASSWORD", "a word for all")
    settings, spawner = Settings(), Settings()
    names = {"get_config": lambda: settings, "__file__": str(BINDER / "hub" / "jupyterhub_config.py")}
    exec((BINDER / "hub" / "jupyterhub_config.py").read_text("utf-8"), names)
    spawner.user.name = "anna"
    (tmp_path / "class" / "trusted").mkdir()
    (tmp_path / "class" / "trusted" / "nbsignatures.db").write_text("signed")

    settings.Spawner.pre_spawn_hook(spawner)
    home = Path(settings.SimpleLocalProcessSpawner.home_dir_template.format(username="anna"))
    lesson = home / settings.Spawner.default_url.removeprefix("/lab/tree/")
    lesson.write_text("mine")
    settings.Spawner.pre_spawn_hook(spawner)

    assert lesson.read_text() == "mine"
    assert len(list(home.glob("notebooks/*/*/*.ipynb"))) == len(list(ROOT.glob("notebooks/*/*/*.ipynb")))
    assert (home / ".local/share/jupyter/nbsignatures.db").read_text() == "signed"


STATE, VIEW = (f"application/vnd.jupyter.widget-{kind}+json" for kind in ("state", "view"))


@pytest.mark.parametrize("runs", [False, True])
def test_a_widget_that_went_with_its_kernel_is_handed_out_as_its_picture(
        tmp_path: Path, runs: bool, monkeypatch: pytest.MonkeyPatch):
    """JupyterLab would write "model not found" in its place; what is stored, or runs, stays a widget."""
    settings, session = Settings(), Settings()
    monkeypatch.delenv("MINIGRAD_DRAWINGS", raising=False)
    names = runpy.run_path(str(BINDER / "jupyter" / "jupyter_server_config.py"), {"get_config": lambda: settings})

    class Server(Configurable):
        session_manager = session

    async def exists(path: str) -> bool:
        return runs and path == "mine.ipynb"

    session.session_exists = exists
    outputs = [nbformat.v4.new_output("display_data", {VIEW: {"model_id": model}, kind: "still"})
               for model, kind in (("gone", "image/svg+xml"), ("kept", "image/svg+xml"), ("gone", "text/plain"))]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", outputs=outputs)])
    notebook.metadata.widgets = {STATE: {"state": {"kept": {}}}}
    nbformat.write(notebook, tmp_path / "mine.ipynb")

    contents = names["Contents"](root_dir=str(tmp_path), parent=Server())
    shown = asyncio.run(contents.get("/mine.ipynb"))["content"]
    taken = json.loads(asyncio.run(contents.get("/mine.ipynb", type="file"))["content"])

    assert [VIEW in output["data"] for output in shown["cells"][0]["outputs"]] == [runs, True, True]
    assert [VIEW in output["data"] for output in taken["cells"][0]["outputs"]] == [False, True, True]  # a download
    told = names["Sessions"].__new__(names["Sessions"]).get_kernel_env("mine.ipynb")
    assert (told["MINIGRAD_DRAWINGS"], os.environ.get("MINIGRAD_DRAWINGS")) == ("widget", None)  # drawings may be
    (tmp_path / "broken.ipynb").write_text(f"[{VIEW}")
    assert asyncio.run(contents.get("/broken.ipynb", type="file"))["content"] == f"[{VIEW}"


@pytest.mark.parametrize(("words", "first", "rest"), [
    ([], "en", []), (["zh"], "zh", []), (["--no-browser"], "en", ["--no-browser"]),
    (["zh", "--port=9999"], "zh", ["--port=9999"])])
@pytest.mark.parametrize("broken", [False, True])
def test_the_lab_takes_options_with_or_without_a_language_and_trusts_both(
    words: list[str], first: str, rest: list[str], broken: bool, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    local = runpy.run_path(str(ROOT / "binder" / "local.py"))
    calls: list[tuple[str, ...]] = []

    def call(*module: str) -> int:
        calls.append(module)
        return int(broken and any("002_" in word for word in module))

    monkeypatch.setitem(local["open_lab"].__globals__, "call", call)
    local["open_lab"](*words)

    assert {Path(name).parts[-3] for name in calls[0][2:]} == {"en", "zh"}
    page = f"/lab/tree/notebooks/{first}/lessons/00_start_here.ipynb"
    assert calls[-1][:2] == ("jupyterlab", "--LabApp.default_url=" + page)
    assert [word for word in calls[-1][2:] if word != "--allow-root"] == rest
    left = capsys.readouterr().out.partition("Left untrusted")[2]
    assert left.count(".ipynb") == (2 if broken else 0)
    assert left.count("002_") == (2 if broken else 0)


def test_the_lab_names_its_languages():
    with pytest.raises(SystemExit, match="en and zh, not in fr"):
        runpy.run_path(str(ROOT / "binder" / "local.py"))["open_lab"]("fr")
