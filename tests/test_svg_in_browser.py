"""A real Chromium measures every text: none runs out of its shape, over another, or off the picture.

Our own widths are estimates; this is what they are held to, in both languages and all views.
"""

import json
import re
import subprocess
from html import unescape

import pytest

from minigrad.viz.display import Drawing
from tests.browser import find_browser
from tests.oracle import graphs

pytestmark = pytest.mark.browser
QUIET = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update"]
MEASURE = """
const shaped = /mg-(op|leaf|constant|nonleaf|acc|saved|sum|expand|copy)/, defects = [];
for (const picture of document.querySelectorAll("div")) {
  const report = (...what) => defects.push([picture.title, ...what]);
  const page = picture.firstChild.getBoundingClientRect();
  const texts = [...picture.querySelectorAll("text")].filter((t) => t.textContent.trim())
    .map((t) => ({ t, at: t.getBoundingClientRect(), words: t.textContent }));
  for (const { t, at, words } of texts) {
    if (at.left < page.left || at.right > page.right || at.top < page.top || at.bottom > page.bottom)
      report("off the picture", words);
    const shape = shaped.test(t.parentNode.getAttribute("class"))
      && t.parentNode.querySelector(":scope > .mg-shape")?.getBoundingClientRect();
    const [x, y] = [(at.left + at.right) / 2, (at.top + at.bottom) / 2];
    if (shape && x > shape.left && x < shape.right && y > shape.top && y < shape.bottom
        && (at.left < shape.left + 1 || at.right > shape.right - 1)) report("out of its shape", words);
  }
  texts.forEach(({ at: a, words }, i) => texts.slice(i + 1).forEach(({ at: b, words: other }) => {
    if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4.5) report("over", words, other);
  }));
}
document.body.textContent = JSON.stringify(defects);
"""


def pictures():
    for program, graph in {**graphs.recorded(), "every hook": graphs.hooked()}.items():
        for view in ("record", "forward", "backward"):
            for lang in ("en", "zh", "both"):
                yield f"{program}, {view}, {lang}", Drawing(graph, view, lang=lang).to_svg()


def test_every_text_fits(tmp_path):
    divs = "".join(f'<div title="{name}">{svg}</div>' for name, svg in pictures())
    page = tmp_path / "page.html"
    page.write_text(f"<meta charset=utf-8><body>{divs}<script>{MEASURE}</script>", "utf-8")
    command = [find_browser(), *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
               "--virtual-time-budget=20000", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout

    assert json.loads(unescape(re.search("<body>(.*)</body>", shown, re.S)[1])) == []
