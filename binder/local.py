"""The environment that Binder makes, made on this machine: `python binder/local.py lab`.

Standard library only, and written so that a Python far too old still gets to its message.
Makes `.venv` in this checkout, installs what the word needs (again only when the package's
part of pyproject.toml has changed), then runs the word's commands in it. The Makefile calls this file.
"""

from __future__ import print_function

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
WHEELS = os.path.join(ROOT, "wheelhouse")     # what `wheels` put there, for a room without network
OLDEST = (3, 11)
FIRST = "lessons/00_start_here.ipynb"
WORKERS = min(4, (os.cpu_count() or 1) + 1)    # one more than cores: tests also wait, for browsers and kernels
ON_ALL_CORES = ["-n", str(WORKERS), "--dist", "loadfile", "--no-loadscope-reorder"]
LINTED = ["minigrad", "tests", "notebooks", "binder"]

# word -> (extras to install, modules to run; what the user adds goes to the last one)
WORDS = {
    "lab": (["lab"], []),           # see open_lab
    "test": (["test"], [["pytest"] + ON_ALL_CORES]),
    "check": (["test"], [["ruff", "check"] + LINTED, ["mypy"], ["tests.lines"]]),
    "fix": (["test"], [["tests.lines", "--readme"], ["tests.stubs"], ["ruff", "check", "--fix"] + LINTED]),
    "notebooks": (["test"], [
        ["notebooks.picture"], ["notebooks.sync"], ["notebooks.conformance"], ["notebooks.derivatives"],
        ["notebooks.refresh", "--twice"]]),
    "handouts": (["lab"], [["notebooks.handouts"]]),
    "wheels": ([], [["pip", "wheel", "--wheel-dir", "wheelhouse", ".[lab]", "hatchling", "editables"]]),
    "site": (["lab"], [["notebooks.site"]]),
    "bench": (["test", "bench"], [["tests.bench.interleaved"]]),
    "gpu": (["test", "cupy"], [["tests.bench.gpu", "--look"], ["pytest", "-m", "gpu"], ["tests.bench.gpu"]]),
    "fuzz": (["test", "oracle"], [["tests.oracle.areas"], ["tests.oracle.fuzz", "--count", "10000"]]),
    "mutants": (["test"], [["tests.mutants"]]),
    "parity": (["test", "oracle"], [["pytest", "-m", "oracle"]]),
}
GET_PYTHON = """minigrad needs Python {0}.{1} or newer, and this one is {2}.{3}.
    macOS      brew install python        or python.org/downloads
    Windows    winget install Python.Python.3.13
    Ubuntu     sudo apt install python3 python3-venv        (22.04: python3.11 python3.11-venv)
    any        uv venv --seed --python 3.13 .venv        then the same command again
Then:  PYTHON=/path/to/the/new/python make {4}     or     /path/to/the/new/python {5} {4}"""
GET_VENV = """This Python cannot make a virtual environment. On Debian and Ubuntu:
    sudo apt install python3-venv"""


def python_in_venv():
    folder, name = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(VENV, folder, name)


def new_enough_python():
    """The running Python, or a newer one that stands on PATH under its own name, or None."""
    if sys.version_info >= OLDEST:
        return sys.executable
    which = getattr(shutil, "which", lambda name: None)     # Python 2 has no shutil.which
    found = (which("python3.{0}".format(minor)) for minor in (14, 13, 12, 11))
    return next((path for path in found if path), None)


def make_venv(word):
    if os.path.exists(python_in_venv()):
        return
    python = new_enough_python()
    if python is None:
        sys.exit(GET_PYTHON.format(*(OLDEST + sys.version_info[:2] + (word, "binder/local.py"))))
    print("Making a virtual environment in .venv ...")
    try:
        failed = subprocess.call([python, "-m", "venv", VENV])
    except KeyboardInterrupt:       # half-made it has a Python and no pip, and would be taken for whole
        shutil.rmtree(VENV, ignore_errors=True)
        raise
    if failed:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit(GET_VENV)


def install(extras):
    """Install this checkout, editable, with its extras, unless exactly that has been done."""
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        package = file.read().split(b"[tool.")[0]       # the settings of ruff and pytest follow
    wanted = hashlib.sha256(package).hexdigest()
    stamp = os.path.join(VENV, "minigrad-installed.txt")
    have = set()
    if os.path.exists(stamp):
        with open(stamp) as file:
            done = file.read().split()
        have = set(done[1:]) if done[:1] == [wanted] else have
    if set(extras) <= have:
        return
    print("Installing minigrad with [{0}], a minute or two the first time ..."
          .format(", ".join(extras)))
    sys.stdout.flush()
    source = ["--no-index", "--find-links", WHEELS] if os.path.isdir(WHEELS) else []
    run("pip", "install", "--quiet", *(source + ["--editable", ".[" + ",".join(extras) + "]"]))
    with open(stamp, "w") as file:
        file.write(" ".join([wanted] + sorted(have | set(extras))))


def call(*module):
    """`python -m module ...` in the environment, in this checkout, in UTF-8; its exit status."""
    python = python_in_venv()
    path = os.path.dirname(python) + os.pathsep + os.environ.get("PATH", "")
    settings = os.path.join(ROOT, "binder", "jupyter")
    if os.environ.get("JUPYTER_CONFIG_PATH"):
        settings += os.pathsep + os.environ["JUPYTER_CONFIG_PATH"]
    environment = dict(os.environ, PATH=path, VIRTUAL_ENV=VENV, PYTHONUTF8="1",
                       PIP_DISABLE_PIP_VERSION_CHECK="1", JUPYTER_CONFIG_PATH=settings)
    return subprocess.call([python, "-m"] + list(module), cwd=ROOT, env=environment)


def run(*module):
    """The same; leave if it fails."""
    code = call(*module)
    if code:
        sys.exit(code)


def open_lab(*options):
    """JupyterLab on the first notebook of a language, the stored players of both alive from the start."""
    language = "en"
    if options and not options[0].startswith("-"):
        language, options = options[0], options[1:]
    if language not in ("en", "zh"):
        sys.exit("The notebooks are in en and zh, not in {0}.".format(language))
    notebooks = [
        os.path.join(where, name) for where, _, names in os.walk(os.path.join(ROOT, "notebooks"))
        for name in names if name.endswith(".ipynb") and ".ipynb_checkpoints" not in where]
    print("Marking the notebooks of this checkout as trusted, so that their pictures move.")
    left = [one for one in notebooks if call("jupyter", "trust", one)] if call("jupyter", "trust", *notebooks) else []
    if left:
        print("Left untrusted, so that their pictures move only once their cells have run: " + ", ".join(left))
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0          # in a container
    # by its address, not as an argument: that would make its folder the root, and the link to
    # the twin in the other language would lead out of it
    address = "/lab/tree/notebooks/{0}/{1}".format(language, FIRST)
    run("jupyterlab", "--LabApp.default_url=" + address,
        *(["--allow-root"] * is_root + list(options)))


def main(word="", *added):
    if word not in WORDS:
        sys.exit("usage: python binder/local.py " + "|".join(WORDS))
    extras, modules = WORDS[word]
    make_venv(word)
    install(extras)
    if word == "lab":
        return open_lab(*added)
    for module in modules[:-1]:
        run(*module)
    run(*(modules[-1] + list(added)))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
