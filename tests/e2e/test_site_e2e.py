"""The site as a class meets it: served from a plain folder, on a slow line, with nothing else to be reached."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import threading
from urllib.parse import unquote

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from notebooks import site, sync

pytestmark = pytest.mark.browser

SECONDS, BYTES_A_SECOND = 1.5, 200_000  # 1.6 Mbit/s, what browsers call slow 4G; half a second for the rest


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("site")
    assert site.main(str(made)) == 0
    return made


@pytest.fixture(scope="module")
def address(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_every_page_plays_and_every_link_leads_somewhere(page, folder, address):
    page.on("console", lambda message: pytest.fail(message.text))
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html"))
    dead = []
    for name in pages:
        page.goto(f"{address}/{name}")
        places = page.locator("[data-model]").count()
        page.wait_for_function("(n) => document.querySelectorAll('.mg-player, .mg-moment').length === n", arg=places)
        for href in re.findall(r'href="([^"#:]+)["#]', (folder / name).read_text("utf-8")):
            dead += [(name, href)] if not ((folder / name).parent / unquote(href)).exists() else []

    assert len(pages) == 1 + len([*site.HERE.glob("*/*/*.ipynb")])
    assert dead == []


@pytest.mark.parametrize(("theme", "width", "button", "asked", "title"), [
    ("light", 1100, "English", "loss.backward() print(w.grad)", "first slope"),
    ("dark", 390, "中文", "版本 原地", "什么必须留着")])
def test_a_search_leads_to_its_place_in_a_page(page, address, theme, width, button, asked, title):
    page.on("console", lambda message: pytest.fail(message.text))
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}/index.html")
    page.get_by_role("button", name=button).click()
    page.locator("#search").press_sequentially(asked)
    page.wait_for_selector("#hits a")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    hit = page.locator("#hits a", has_text=title).first
    place = unquote(hit.get_attribute("href").partition("#")[2])
    hit.click()
    page.wait_for_load_state()
    assert page.evaluate("(id) => !id || !!document.getElementById(id)", place)


def test_as_long_as_nothing_was_looked_through_no_number_is_claimed(page, address):
    held = []
    page.route("**/search.*.js", lambda route: held.append(route))  # a line so slow that it does not come
    page.goto(f"{address}/index.html#en")
    page.locator("#search").fill("leaf")

    assert page.locator("#count").inner_text() == "…"
    assert page.get_by_role("link", name="Lesson 1").is_visible()
    held[0].continue_()
    page.wait_for_selector("#hits a")
    assert int(page.locator("#count").inner_text().split()[0]) > 5
    assert page.get_by_role("link", name="Lesson 1 · What does 4.5 mean?", exact=True).is_hidden()


def test_it_opens_from_a_disk(page, folder):
    page.on("console", lambda message: pytest.fail(message.text))
    page.goto((folder / "index.html").as_uri() + "#zh")
    page.locator("#search").fill("叶子")

    page.wait_for_selector("#hits a")
    assert page.locator("section[lang=en]").is_hidden()


def test_the_index_begins_where_the_course_begins(folder):
    titles = re.findall(r"<li><a [^>]*>(.*?)</a>", (folder / "index.html").read_text("utf-8"))

    assert titles[0].startswith("The course")
    assert "`" not in "".join(titles)


def test_a_fork_in_one_language_offers_no_other(page, tmp_path, monkeypatch):
    sync.write(new_notebook(cells=[new_markdown_cell("# My lesson")]), tmp_path / "en" / "lessons" / "one.ipynb")
    shutil.copy(site.HERE / "site.html", tmp_path)
    monkeypatch.setattr(site, "HERE", tmp_path)
    site.main(str(tmp_path / "site"))
    page.goto((tmp_path / "site" / "index.html").as_uri() + "#zh")

    assert page.get_by_role("link", name="My lesson").is_visible()
    assert page.get_by_role("button", name="中文").count() == 0


def test_a_slow_line_carries_a_page_in_two_seconds(page, folder, address):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/en/tutorials/004_gradients_from_start_to_finish.html")
    page.wait_for_selector(".mg-player [data-do=next]")

    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [page.url]  # one answer is all there is
    assert max(path.stat().st_size for path in folder.rglob("*.html")) < SECONDS * BYTES_A_SECOND
