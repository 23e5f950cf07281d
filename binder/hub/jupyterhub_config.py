"""A JupyterHub for one class on one machine: `jupyterhub -f binder/hub/jupyterhub_config.py`. See README.md here.

Each student gets a folder of their own below MINIGRAD_CLASS, with a copy of the notebooks made at the first login; what
they write there stays. All servers run as the user who started the hub: it keeps honest students apart, no others.
"""

import os
import shutil
import sys
from pathlib import Path

CLASS = Path(os.environ.get("MINIGRAD_CLASS", "class")).resolve()
NOTEBOOKS = Path(__file__).resolve().parent.parent.parent / "notebooks"
LANGUAGE = os.environ.get("MINIGRAD_CLASS_LANGUAGE", "en")
TRUSTED = CLASS / "trusted"  # signatures of the notebooks as they are: their players move before any cell has run


def desk(name):
    """The folder of a student."""
    return CLASS / "students" / name


def lay_out(spawner):
    """Before a student's server starts: notebooks that are not there yet, and the signatures."""
    home = desk(spawner.user.name)
    for language in ("en", "zh"):
        if not (home / "notebooks" / language).exists():
            shutil.copytree(NOTEBOOKS / language, home / "notebooks" / language,
                            ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    if TRUSTED.exists():
        shutil.copytree(TRUSTED, home / ".local/share/jupyter", dirs_exist_ok=True)


c = get_config()  # noqa: F821
c.JupyterHub.bind_url = os.environ.get("MINIGRAD_CLASS_URL", "http://:8000")
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.db_url = f"sqlite:///{CLASS / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(CLASS / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(CLASS / "proxy.pid")
c.JupyterHub.concurrent_spawn_limit = 0  # who comes late waits, and is not sent away
c.JupyterHub.spawner_class = "jupyterhub.spawner.SimpleLocalProcessSpawner"
c.JupyterHub.authenticator_class = "shared-password"  # one word for the class, names as students like
c.SharedPasswordAuthenticator.user_password = os.environ["MINIGRAD_CLASS_PASSWORD"]
c.Authenticator.allow_all = True

c.Spawner.cmd = [sys.executable, "-m", "jupyterhub.singleuser"]
c.SimpleLocalProcessSpawner.home_dir_template = str(CLASS / "students/{username}")
c.Spawner.default_url = f"/lab/tree/notebooks/{LANGUAGE}/lessons/00_start_here.ipynb"
c.Spawner.pre_spawn_hook = lay_out
c.Spawner.start_timeout = c.Spawner.http_timeout = 600
c.Spawner.environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                         "JUPYTER_CONFIG_PATH": str(NOTEBOOKS.parent / "binder" / "jupyter")}
c.Spawner.args = [  # a kernel that nobody uses for half an hour ends, and its server some time after
    "--MappingKernelManager.cull_idle_timeout=1800", "--MappingKernelManager.cull_interval=300",
    "--ServerApp.shutdown_no_activity_timeout=3600", "--LabApp.news_url=none", "--ServerApp.root_dir=.",
    *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else [])]

if os.environ.get("MINIGRAD_CLASS_TOKEN"):  # for measure.py
    c.JupyterHub.services = [{"name": "measure", "api_token": os.environ["MINIGRAD_CLASS_TOKEN"]}]
    c.JupyterHub.load_roles = [{"name": "measure", "services": ["measure"],
                                "scopes": ["admin:users", "admin:servers", "access:servers", "tokens"]}]

CLASS.mkdir(parents=True, exist_ok=True)
