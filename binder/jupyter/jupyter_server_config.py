"""JupyterLab for these notebooks: one that is opened and closed again stays as it was, and shows what it can.

JupyterLab writes into a notebook which Python its kernel runs, and asks whether to save that. A notebook of this
checkout is handed out with it, so that nothing is left to write, and stored without it. In the place of a widget
that went with its kernel, JupyterLab writes "model not found", although the output has a picture too: where no kernel
runs, the picture is all that is handed out, and in a notebook that is downloaded. So drawings may be widgets here.
"""

import json

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.files.handlers import FilesHandler
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server.services.sessions.sessionmanager import SessionManager

STORED = ("file_extension", "mimetype", "name")
STATE, VIEW = (f"application/vnd.jupyter.widget-{kind}+json" for kind in ("state", "view"))


def is_notebook(model):
    return model["type"] == "notebook" and bool(model.get("content"))


def is_ours(model):
    return is_notebook(model) and "minigrad" in model["content"]["metadata"]


def leave_pictures(notebook):
    """Take widgets whose state is not stored out of the outputs that have a picture beside them."""
    stored = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    for data in (output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", ())):
        if "image/svg+xml" in data and data.get(VIEW, {}).get("model_id") not in stored:
            data.pop(VIEW, None)


def for_elsewhere(text):
    """A notebook's file with its pictures alone; one that nobody can read stays as it is."""
    try:
        leave_pictures(notebook := json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError):
        return text
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


class Contents(AsyncLargeFileManager):
    """The files below the folder in which JupyterLab was started; what is downloaded, or drawn, goes through it too."""

    files_handler_class, files_handler_params = FilesHandler, {"path": ""}

    async def get(self, path, *args, **options):
        model = await super().get(path, *args, **options)
        if is_notebook(model) and not await self.parent.session_manager.session_exists(path.strip("/")):
            leave_pictures(model["content"])
        if model["type"] == "file" and path.endswith(".ipynb") and VIEW in str(model["content"]):  # a download
            model["content"] = for_elsewhere(model["content"])
        if is_ours(model):
            model["content"]["metadata"]["language_info"] = dict(IPythonKernel.language_info)
        return model

    async def save(self, model, path=""):
        if is_ours(model) and (info := model["content"]["metadata"].get("language_info")):
            model["content"]["metadata"]["language_info"] = {key: info[key] for key in STORED if key in info}
        return await super().save(model, path)


class Sessions(SessionManager):
    """The kernels of notebooks are told; a terminal, and the tests that are run there, draw pictures."""

    def get_kernel_env(self, path, name=None):
        return {"MINIGRAD_DRAWINGS": "widget", **super().get_kernel_env(path, name)}


c = get_config()  # noqa: F821
c.ServerApp.contents_manager_class = Contents
c.ServerApp.session_manager_class = Sessions
