"""JupyterLab for these notebooks: one that is opened and closed again stays as it was.

JupyterLab writes into a notebook which Python its kernel runs, and asks whether to save that. A notebook of this
checkout is handed out with it, so that nothing is left to write, and stored without it.
"""

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

STORED = ("file_extension", "mimetype", "name")


def is_ours(model):
    return model["type"] == "notebook" and bool(model.get("content")) and "minigrad" in model["content"]["metadata"]


class Contents(AsyncLargeFileManager):
    """The files below the folder in which JupyterLab was started."""

    async def get(self, *args, **options):
        model = await super().get(*args, **options)
        if is_ours(model):
            model["content"]["metadata"]["language_info"] = dict(IPythonKernel.language_info)
        return model

    async def save(self, model, path=""):
        if is_ours(model) and (info := model["content"]["metadata"].get("language_info")):
            model["content"]["metadata"]["language_info"] = {key: info[key] for key in STORED if key in info}
        return await super().save(model, path)


c = get_config()  # noqa: F821
c.ServerApp.contents_manager_class = Contents
