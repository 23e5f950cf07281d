"""The code of widgets in the browser: a model of its own, which all widgets of a kind share.

A page gets and reads it once, and a notebook stores it once, however many players it holds: each brings along the few
lines of `static/shared.js`, which look for it by its id.
"""

import base64
import gzip
import hashlib
import json
from functools import cache
from typing import Any, ClassVar

import anywidget
import ipywidgets
import traitlets

from .theme import STATIC


class Code(ipywidgets.Widget):  # type: ignore[misc]
    """A module of JavaScript and its stylesheet."""

    packed = traitlets.Unicode().tag(sync=True)


@cache
def code(module: str, style: str) -> Code:
    """The model of both; its id tells what is in it, so a notebook that is run again does not store it twice."""
    both = json.dumps([module, style]).encode()
    packed = base64.b64encode(gzip.compress(both, mtime=0)).decode()
    return Code(packed=packed, model_id=hashlib.sha256(both).hexdigest()[:32])


def unpacked(packed: str) -> tuple[str, str]:
    """The module and the stylesheet."""
    module, style = json.loads(gzip.decompress(base64.b64decode(packed)))
    return module, style


class Shared(anywidget.AnyWidget):
    """A widget of `MODULE`, a text of JavaScript, and `STYLE`, its stylesheet."""

    MODULE: ClassVar[str]
    STYLE: ClassVar[str]
    _esm = (STATIC / "shared.js").read_text("utf-8")  # as a text: of a path, anywidget would keep every widget for good
    _code = traitlets.Instance(Code).tag(sync=True, **ipywidgets.widget_serialization)

    @traitlets.default("_code")
    def _shared(self) -> Code:
        return code(self.MODULE, self.STYLE)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self._code.open()  # nothing, unless it was closed
        return super()._repr_mimebundle_(**kwargs)
