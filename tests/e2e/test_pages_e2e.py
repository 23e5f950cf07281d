"""Pages without kernel and network, pressed in a browser that cannot leave this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

import minigrad

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.mark.parametrize(("language", "width", "height", "theme"),
                         [("en", 1100, 900, "light"), ("zh", 390, 844, "dark")])
def test_a_whole_notebook_plays(page, tmp_path, language, width, height, theme):
    page.on("console", lambda message: pytest.fail(message.text))
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=theme)
    file = NOTEBOOKS / language / "lessons/03_walk_backward_yourself.ipynb"
    page.goto(minigrad.save_page(file, tmp_path / "lesson.html").as_uri())

    second = page.locator(".mg-player").nth(1)
    second.locator("[data-do=drive][aria-pressed=true]").click()
    second.locator("[data-do=last]").click()
    first = page.locator(".mg-player").nth(0).locator(".mg-count")

    assert [int(n) for n in second.locator(".mg-count").inner_text().split("/")] == [5, 5]
    assert first.inner_text().startswith("0")  # each widget has a state of its own
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == \
        ("rgb(20, 24, 31)" if theme == "dark" else "rgb(255, 255, 255)")


def test_a_moment_says_that_nobody_answers(page, tmp_path):
    page.on("console", lambda message: pytest.fail(message.text))
    page.goto(minigrad.save_page(NOTEBOOKS / "en/lessons/02_what_was_written_down.ipynb", tmp_path / "l.html").as_uri())
    moment = page.locator(".mg-moment").first
    moment.locator("button.mg-main").click()

    said = moment.locator(".mg-say", has_text="kernel")
    said.wait_for()
    assert said.inner_text() == minigrad.text.say("moments.no_notebook", "en")


@pytest.mark.parametrize(("language", "width", "theme"), [("en", 1100, "light"), ("zh", 390, "dark")])
def test_two_runs_step_together(page, tmp_path, language, width, theme):
    def run(factor):
        x = minigrad.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        if factor:
            y.register_hook(lambda grad: grad * factor)
        w, same = minigrad.ones(20, requires_grad=True), minigrad.ones(20, requires_grad=True)
        last = minigrad.where(minigrad.arange(20) < 19, 1.0, 1.0 + factor)
        loss = (y + x).sum() + (w * last).sum() + (same * 1.0).sum()
        return minigrad.step(loss, preview=True, names={f"m{factor}.w": w})

    page.on("console", lambda message: pytest.fail(message.text))
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    made = minigrad.compare(run(0), run(3), lang=language)
    page.goto(minigrad.save_page(made, tmp_path / "two.html").as_uri())
    page.locator(".mg-comparison").focus()
    waiting = 0
    for _ in made.moments[1:]:
        page.keyboard.press("Shift+ArrowRight")
        waiting += page.locator(".mg-run.mg-waits").count()

    assert waiting == 1  # the hook
    rows = page.locator(".mg-differences tr:not(:first-child)")
    assert {*rows.all_inner_texts()} == {"x.grad\t[3, 5]\t≠\t[7, 13]", "same.grad\t[1, 1, … ×20]\t=\t[1, 1, … ×20]",
                                        "m0.w.grad / m3.w.grad\t[1, 1, … ×20]\t≠\t[1, 1, … ×20]"}  # in the last number
    assert page.locator(".mg-one").nth(0).locator("[data-slot].mg-differs", has_text="[3, 5]").count()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".mg-comparison > .mg-bar [data-do=first]").click()
    assert page.locator(".mg-count").last.inner_text() == f"0 / {len(made.moments) - 1}"
    assert page.locator(".mg-differs").count() == 0
