"""230 names that would break, run or fetch something, as names of tensors, modules and hooks, in every output."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest

import minigrad
from minigrad.viz.glyphs import FORBIDDEN

pytestmark = pytest.mark.browser

RUN = "window.hacked=1"
PARTS = [
    f"<script>{RUN}</script>", f"</script><script>{RUN}</script>", f"<img src=x onerror={RUN}>",
    f"\"><img src=x onerror={RUN}>", f"'><img src=x onerror={RUN}>", f"<svg onload={RUN}>", f"</svg><svg onload={RUN}>",
    f"</style><script>{RUN}</script>", f"</title><script>{RUN}</script>", f"</textarea><script>{RUN}</script>",
    f"]]><script>{RUN}</script>", "<![CDATA[", "<!--", "-->", "<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<?xml?>",
    f"<a href='javascript:{RUN}'>x</a>", f"javascript:{RUN}", f"\" onmouseover=\"{RUN}",
    f"' onfocus='{RUN}' autofocus='",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'>", f"<math><mtext></mtext><img src=x onerror={RUN}></math>",
    "<link rel=stylesheet href=http://example.com/x.css>", "url(http://example.com/x.png)", "<use href='#x'/>",
    "&lt;script&gt;", "&#x3c;script&#x3e;", "&amp;amp;", "\\u003cscript\\u003e", f"${{{RUN}}}", f"`+({RUN})+`",
    f"{{{{{RUN}}}}}",
    f"\\href{{javascript:{RUN}}}{{x}}", "\\unicode{x3c}", "}{_^&#%$~\\", "%0A%0D", "a\\\"b'c`d",
    "__proto__", "constructor", "\u202eevil", "\u2066x\u2069", "a\x00b\x07\x1b[31m", "\ud800\udfff\ufffe\uffff",
    "\u2028\u2029",
    "mg-player", "e\u0301" + "\u0300" * 60,
]
SHAPES = ["{}", "w{}", "{0}{0}", "x\"{}", "{}'y"]
NAMES = [shape.replace("{}", part).replace("{0}", part) for shape, part in itertools.product(SHAPES, PARTS)]
AT_ONCE = 77


def program(names):
    """A loss of leaves, modules and hooks of these names, the names of its tensors, and the network."""
    named, loss, value = {}, 0, 1.0
    net = minigrad.nn.Sequential()
    for name in names:
        value += 1
        x = minigrad.tensor([value], requires_grad=True)
        named[name] = x
        hooked = x * value

        def hook(grad):
            return grad

        hook.__name__ = name
        hooked.register_hook(hook)
        loss = loss + hooked
        if "." not in name:
            net.add_module(name, minigrad.nn.Linear(1, 1))
    return net(loss).sum(), named, net


def test_there_are_230_names():
    assert len({*NAMES}) == len(NAMES) == 230


@pytest.mark.parametrize("first", range(0, len(NAMES), AT_ONCE))
def test_nothing_runs_is_fetched_or_breaks(page, tmp_path, first):
    loss, named, net = program(NAMES[first:first + AT_ONCE])
    drawings = [minigrad.draw(loss, names=named, view=view, level=level)
                for view, level in (("record", "ops"), ("forward", None), ("backward", "modules"))]
    player = minigrad.step(loss, names=named, preview=True)
    explorer = drawings[0].explore()
    pictures = [*(d.to_svg() for d in drawings), *(p["svg"] for p in (*player.pictures, *explorer.pictures))]
    texts = [d.to_text() for d in drawings] + [drawings[0].to_json(), player.to_text()]
    texts += [str(minigrad.why(asked)) for asked in (loss, net)]
    texts += [str(minigrad.doctor(net, net(minigrad.ones(1)).sum())), *(d.to_dot() for d in drawings)]
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(message.text))

    for picture in pictures:
        assert {e.tag.rpartition("}")[2] for e in ET.fromstring(picture).iter()}.isdisjoint(
            {"script", "img", "iframe", "a", "link", "foreignObject", "image"})
    assert not [text for text in texts + pictures if FORBIDDEN.search(text)]
    pages = {"pictures": "<meta charset=utf-8>" + "".join(pictures), "player": player.to_html(),
             "explorer": explorer.to_html(), "drawing": "<meta charset=utf-8>" + drawings[1].to_html()}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, "utf-8")
        page.goto((tmp_path / f"{name}.html").as_uri())
        for key in ("ArrowRight", "End", "Home", "Tab", "Enter"):
            page.keyboard.press(key)
        page.wait_for_timeout(100)
        assert page.evaluate("() => window.hacked") is None
        assert page.locator("img, iframe, object, embed, link[href^=http], a[href^=javascript]").count() == 0
    assert said == []
