"""Every frame of many graphs: nothing covered, cut, small or out of sight, at any size."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import minigrad
from tests import networks

pytestmark = pytest.mark.browser

MEASURE = (Path(__file__).parent / "stage.js").read_text("utf-8").partition("\n")[2]
SIZES = {"wide": (1280, 720), "column": (960, 620), "notebook": (848, 420), "phone": (390, 844)}
GRAPHS = ["tutorial", "diamond", "fan in", "mlp", "shared mlp", "lenet", "attention", "residual", "views",
          "copy slices", "hooks", "unbind", "freed", "many inputs", "tied", "broadcast", "norms", "rnn 10", "chinese"]
# every event in one language and theme, every step in the others
WALK = """async (least) => {
    const measure = MEASURE, root = document.querySelector('.mg-player'), found = {}, press = (key, shiftKey) =>
        (document.activeElement ?? root).dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }));
    root.focus();
    const count = () => root.querySelector('.mg-count').textContent, few = FEW || parseInt(count().split('/')[1]) > 9;
    for (let last = ''; last !== count();) {
        last = count();
        const defects = measure(least);
        if (defects.length) found[last] = defects;
        press('ArrowRight', !few);
    }
    return found;
}""".replace("MEASURE", MEASURE)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A player of each graph, as a page."""
    folder = tmp_path_factory.mktemp("stages")

    def page_of(name: str) -> str:
        file = folder / f"{GRAPHS.index(name)}.html"
        if not file.exists():
            roots, names = networks.run(name, minigrad)
            file.write_text(minigrad.step(roots[0], preview=True, names=names).to_html(), encoding="utf-8")
        return file.as_uri()

    return page_of


@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_is_covered_cut_or_out_of_sight(page, made, name):
    page.emulate_media(reduced_motion="reduce")
    page.on("console", lambda message: pytest.fail(message.text))
    page.goto(made(name))
    player, found = page.locator(".mg-player"), {}
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for keys, few in (("Home", "false"), ("Home t l", "true"), ("Home t", "true"), ("Home t l l", "true")):
            player.focus()
            for key in keys.split():
                page.keyboard.press(key)
            if defects := page.evaluate(WALK.replace("FEW", few), 12):
                found[f"{size} {player.get_attribute('class')}"] = defects
    assert json.dumps(found, ensure_ascii=False, indent=1)[:3000] == "{}"


def test_a_box_steps_as_one_and_opens_by_mouse_and_by_keyboard(page, made):
    page.emulate_media(reduced_motion="reduce")
    page.goto(made("mlp"))
    player, count = page.locator(".mg-player"), page.locator(".mg-count")
    player.focus()
    seen = []
    while player.locator('[data-do="next"]').is_enabled():
        page.keyboard.press("ArrowRight")
        seen.append((count.inner_text(), player.locator(".mg-now.mg-box").count()))
    assert seen == [(f"{n} / 11", 1) for n in (2, 6, 7, 11)]

    player.locator(".mg-box.mg-now .mg-toggle").click()
    assert player.locator(".mg-frame").count() == 1
    assert player.locator(".mg-acc.mg-now").count() == 1
    page.keyboard.press("ArrowLeft")
    assert count.inner_text() == "10 / 11"
    player.locator(".mg-frame").focus()
    page.keyboard.press("Enter")
    assert player.locator(".mg-frame").count() == 0
    player.focus()
    page.keyboard.press("o")
    assert player.locator(".mg-box").count() == 0


def test_a_loop_of_a_hundred_turns_is_one_step_and_its_turns_are_events(page, made):
    page.goto(made("rnn 10"))
    player, count = page.locator(".mg-player"), page.locator(".mg-count")
    for _ in range(2):
        player.locator('[data-do="next"]').click()
    assert count.inner_text() == "48 / 54"  # a leaf that is complete comes first
    page.keyboard.press("Home")
    for _ in range(9):
        page.keyboard.press("Shift+ArrowRight")
    assert player.locator(".mg-scope").inner_text().endswith("10 / 10")


def test_the_camera_keeps_still_glides_shows_all_and_follows_the_map(page, made):
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 848, "height": 420})
    page.goto(made("tutorial"))
    player, svg = page.locator(".mg-player"), page.locator(".mg-stage > svg")
    player.focus()
    views = []
    for _ in range(16):
        views.append(svg.get_attribute("viewBox"))
        page.keyboard.press("Shift+ArrowRight")
    assert 2 <= len(set(views)) <= 6
    box = player.locator(".mg-map").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert svg.get_attribute("viewBox") != views[-1]
    page.keyboard.press("0")
    assert float(svg.get_attribute("viewBox").split()[2]) >= 1130
