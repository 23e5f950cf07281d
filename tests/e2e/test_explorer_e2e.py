"""The explorer in a real Chromium: every control by mouse and by keyboard, at any size, and in JupyterLab."""

from __future__ import annotations

import json

import nbformat
import pytest

import minigrad
from minigrad.viz import draw
from tests import networks

pytestmark = pytest.mark.browser

GRAPHS = ["tutorial", "mlp", "shared mlp", "lenet", "attention", "residual", "detach", "custom function",
          "double backward", "chinese", "long names", "rnn 10", "rnn 100", "hooks", "copy slices"]
SIZES = {"en light": (1100, 720), "zh dark": (390, 844)}
# what is wrong with the page as it is: a control over another, cut off, a text that does not fit, too small a target
MEASURE = """() => {
    const root = document.querySelector('.mg-explorer'), box = (e) => e.getBoundingClientRect(), found = [];
    const parts = [...root.querySelectorAll('.mg-bar, .mg-stage, .mg-dock, .mg-side')];
    const apart = (a, b) => a.right <= b.left + 1 || a.left >= b.right - 1 || a.bottom <= b.top + 1
        || a.top >= b.bottom - 1;
    parts.forEach((a, i) => parts.slice(i + 1).forEach((b) => {
        if (!apart(box(a), box(b))) found.push(a.className + ' covers ' + b.className); }));
    const bar = [...root.querySelectorAll('.mg-bar > *')];
    bar.forEach((a, i) => bar.slice(i + 1).forEach((b) => {
        if (!apart(box(a), box(b))) found.push(a.dataset.do + ' covers ' + b.dataset.do); }));
    for (const e of [...parts, ...bar]) {
        const b = box(e);
        if (b.left < -1 || b.right > innerWidth + 1 || b.bottom > innerHeight + 1 || b.top < -1)
            found.push('out of sight: ' + e.className);
    }
    for (const e of bar) if (e.scrollWidth > e.clientWidth + 1) found.push('cut: ' + e.textContent);
    const least = innerWidth < 500 ? 44 : 36, page = document.scrollingElement;
    for (const e of bar) if (box(e).height < least) found.push('small: ' + e.outerHTML.slice(0, 80));
    if (page.scrollWidth > innerWidth || page.scrollHeight > innerHeight + 1) found.push('scrolls');
    for (const e of root.querySelectorAll('.mg-dock *, .mg-side button'))
        if (parseFloat(getComputedStyle(e).fontSize) < 12) found.push('tiny: ' + e.textContent.slice(0, 30));
    const stops = [...root.querySelectorAll('.mg-stage .mg-node')];
    if (!stops.length || !stops.some((s) => !apart(box(s), box(parts[1])))) found.push('nothing in sight');
    for (const s of stops)
        if (!s.getAttribute('aria-label') || !s.getAttribute('role')) found.push('no name: ' + s.dataset.id);
    return found;
}"""
PLACE = """(id) => {
    const shape = document.querySelector(`.mg-stage :is(.mg-box, .mg-frame)[data-id="${id}"] > .mg-shape`);
    return [shape.getBoundingClientRect().x, shape.getBoundingClientRect().y];
}"""
PINCH = """() => {
    const stage = document.querySelector('.mg-stage');
    const fire = (type, pointerId, clientX) =>
        stage.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: 300, bubbles: true }));
    stage.setPointerCapture = () => {};
    fire('pointerdown', 11, 300); fire('pointerdown', 12, 400); fire('pointermove', 12, 500);
    fire('pointerup', 11, 300); fire('pointerup', 12, 500);
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An explorer of each graph, as a page."""
    folder = tmp_path_factory.mktemp("explorers")

    def page_of(name: str, view: str = "record") -> str:
        file = folder / f"{GRAPHS.index(name)}_{view}.html"
        if not file.exists():
            roots, names = networks.run(name, minigrad)
            file.write_text(draw(*roots, names=names, view=view).explore().to_html(), encoding="utf-8")
        return file.as_uri()

    return page_of


def opened(page, uri, width=1100, height=720):
    page.on("console", lambda message: pytest.fail(message.text))
    page.set_viewport_size({"width": width, "height": height})
    page.goto(uri)
    page.locator(".mg-stage svg").wait_for()
    return page.locator(".mg-explorer")


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("view", ["forward", "backward"])
def test_every_control_works_and_nothing_is_covered_or_cut(page, made, name, view):
    found = {}
    for size, (width, height) in SIZES.items():
        page.emulate_media(color_scheme="dark" if "dark" in size else "light", reduced_motion="reduce")
        root = opened(page, made(name, view), width, height)
        root.focus()
        if "zh" in size:
            page.keyboard.press("l")
        for key in ("", "Home", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp", "Enter", "Enter", "v", "+", "-", "o",
                    "c", "0", "Escape"):
            page.keyboard.press(key or "Shift")
            if defects := page.evaluate(MEASURE):
                found[f"{size} {key}"] = defects[:4]
        assert ("mg-dark" in root.get_attribute("class")) == ("dark" in size)
        assert "mg-zh" in root.get_attribute("class") or "en" in size
        for control in page.locator(".mg-bar button").evaluate_all("all => all.map((one) => one.dataset.do)"):
            button = page.locator(f'[data-do="{control}"]')
            if button.is_enabled():
                button.click()
                if defects := page.evaluate(MEASURE):
                    found[f"{size} {control}"] = defects[:4]
    assert json.dumps(found, ensure_ascii=False, indent=1)[:3000] == "{}"


def test_what_is_pointed_at_before_there_is_a_picture_waits(page, tmp_path):
    """As a view that JupyterLab moves: its code is there at once, its picture when it can be seen."""
    x = minigrad.ones(2, requires_grad=True)
    file = tmp_path / "hidden.html"
    file.write_text(draw((x * x).sum()).explore().to_html().replace("<body ", "<body hidden ", 1), encoding="utf-8")
    page.goto(file.as_uri())
    page.locator(".mg-origin").first.wait_for(state="attached")

    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    page.locator(".mg-origin").first.dispatch_event("pointerover")
    assert page.locator(".mg-stage svg").count() == 0
    page.evaluate("document.body.hidden = false")
    page.locator(".mg-stage svg").wait_for()
    page.locator(".mg-origin").first.dispatch_event("pointerover")

    assert errors == []
    assert page.locator(".mg-stage .mg-linked").count() > 0


def test_in_a_low_room_what_is_told_stands_beside_a_picture_that_would_not_be_seen_whole(page, made):
    for height, beside in ((720, True), (1000, False)):
        root = opened(page, made("tutorial"), height=height)
        kinds = root.get_attribute("class").split()
        assert ("mg-beside" in kinds, "mg-follows" in kinds) == (beside, False)
    colours = page.evaluate("""() => ["::placeholder", null].map((part, i) =>
        getComputedStyle(document.querySelector(i ? ".mg-sub" : "input[type=search]"), part).color)""")
    assert colours[0] == colours[1]  # muted, whatever the page says of placeholders


def test_what_is_opened_stays_where_it_is_and_folds_again(page, made):
    root = opened(page, made("mlp"))
    boxes = page.locator('.mg-box[role="button"]').evaluate_all("all => all.map((e) => e.dataset.id)")
    assert len(boxes) == 3
    for id in boxes:
        root.locator('[data-do="fit"]').click()
        before = page.evaluate(PLACE, id)
        root.locator(f'.mg-box[data-id="{id}"] .mg-toggle + text').click()
        assert root.locator(f'.mg-frame[data-id="{id}"]').count() == 1
        assert page.evaluate(PLACE, id) == pytest.approx(before, abs=0.5)
    assert root.locator(".mg-frame").count() == 3  # all of them at once
    page.keyboard.press("Escape")
    assert root.locator(f'.mg-box[data-id="{boxes[-1]}"]').count() == 1
    assert page.evaluate("document.activeElement.dataset.id") == boxes[-1]
    page.keyboard.press("Enter")
    assert root.locator(".mg-frame").count() == 3
    root.locator('[data-do="fold_all"]').click()
    assert root.locator(".mg-frame").count() == 0


def test_arrows_follow_the_wires_and_the_card_tells(page, made):
    root = opened(page, made("tutorial"))
    root.locator('.mg-op:has-text("MulBackward0")').click()
    seen = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        seen.append(page.evaluate("document.activeElement.getAttribute('aria-label')").split(" ")[0])
    assert seen == ["AddBackward0", "TanhBackward0", "SumBackward0"]
    page.keyboard.press("ArrowLeft")
    card = root.locator(".mg-card").inner_text()
    assert "TanhBackward0 h (2,)" in card.replace("\n", " ")
    assert "h = tanh(z)" in card
    assert "AddBackward0" in card
    assert "result" in card
    assert root.locator(".mg-origin.mg-linked").count() == 1
    root.locator(".mg-leaf").first.hover()
    assert "requires_grad" in root.locator(".mg-card").inner_text()


def test_a_line_lights_what_it_made_by_mouse_and_by_keyboard(page, made):
    root = opened(page, made("tutorial"))
    lines = root.locator(".mg-origin")
    lines.nth(0).hover()
    lit = root.locator(".mg-op.mg-linked > text:first-of-type")
    assert sorted(lit.all_text_contents()) == ["add", "mul"]
    lines.nth(0).focus()
    page.keyboard.press("ArrowDown")
    assert sorted(lit.all_text_contents()) == ["sum", "tanh"]


def test_search_opens_what_hides_the_hit(page, made):
    root = opened(page, made("mlp"))
    root.focus()
    page.keyboard.press("/")
    page.keyboard.type("nllloss")
    assert "NllLossBackward0" in root.locator(".mg-say").inner_text()
    page.keyboard.press("Enter")
    assert root.locator('.mg-op:has-text("NllLossBackward0")').is_visible()
    assert "NllLossBackward0" in root.locator(".mg-card h3").inner_text()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("nowhere")
    assert "Nothing" in root.locator(".mg-say").inner_text()
    assert root.locator(".mg-op").count() == 2  # letters that are typed are no commands


def test_wheel_drag_map_and_pinch_move_the_camera_and_a_plain_wheel_does_not(page, made):
    root = opened(page, made("attention"))
    svg, at = page.locator(".mg-stage > svg"), page.locator(".mg-stage").bounding_box()
    x, y = at["x"] + 300, at["y"] + 200
    page.mouse.move(x, y)
    look = lambda: (svg.get_attribute("style"), svg.get_attribute("width"))  # noqa: E731
    first = look()
    page.mouse.wheel(0, 200)
    assert look() == first
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    assert float(look()[1]) > float(first[1])
    second = look()
    page.mouse.down()
    page.mouse.move(x - 120, y - 60, steps=4)
    page.mouse.up()
    assert look()[1] == second[1]
    assert look() != second
    part = root.locator(".mg-node").first               # a screen reader's click, which no pointer brought
    part.dispatch_event("click")
    assert page.evaluate("document.activeElement.dataset.id") == part.get_attribute("data-id")
    third = look()
    box = page.locator(".mg-map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9)
    assert look() != third
    width = float(look()[1])
    page.evaluate(PINCH)
    assert float(look()[1]) == pytest.approx(2 * width, rel=0.02)
    page.set_viewport_size({"width": 1000, "height": 700})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert float(look()[1]) == pytest.approx(2 * width, rel=0.02)    # a window that is resized keeps the zoom
    root.locator('[data-do="fit"]').click()
    assert root.locator(".mg-map").is_hidden()


def test_a_page_too_narrow_for_anything_shows_the_picture_once_it_is_wider(page, made):
    page.set_viewport_size({"width": 24, "height": 720})  # as a notebook beside its files on a phone
    page.goto(made("mlp"))
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".mg-stage .mg-node").first.wait_for()

    assert page.evaluate(MEASURE) == []


def test_what_a_page_does_not_hold_is_said(page, made):
    root = opened(page, made("rnn 100"))
    before = root.locator(".mg-stage [data-id]").count()
    root.locator('[data-do="open_all"]').click()
    assert "at most 300" in root.locator(".mg-say").inner_text()
    assert root.locator(".mg-stage [data-id]").count() == before > 3


def test_in_jupyterlab_the_kernel_draws_what_is_opened_and_no_key_leaks(lab, desk, tmp_path):
    cells = [nbformat.v4.new_code_cell(text) for text in (
        "import minigrad as torch\nfrom minigrad import nn\nimport minigrad.nn.functional as F",
        "net = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4)) for _ in range(6)])\n"
        "loss = net(torch.ones(2, 4)).sum()\ntorch.draw(loss)",
        *["1"] * 30)]
    notebook = tmp_path / "explore.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {
        "display_name": "Python 3", "language": "python", "name": "python3"}}), notebook)
    desk.set_viewport_size({"width": 1280, "height": 720})
    lab.open(desk, notebook)
    lab.run_all(desk)
    picture, root = desk.locator(".mg-drawing > button"), desk.locator(".mg-explorer")
    for close in ("[data-do=close]", None):  # a drawing is its picture, and what that is pressed for
        picture.evaluate("e => { e.style.paddingBottom = '900px'; e.focus(); e.scrollIntoView({ block: 'end' }); }")
        assert "Explore" in picture.inner_text()
        desk.keyboard.press("Enter")
        root.locator(".mg-stage svg").wait_for()
        assert root.bounding_box()["y"] > 80  # in sight, though its place began above
        assert desk.evaluate("document.activeElement.matches('.mg-explorer')")
        assert picture.is_hidden()
        if close:
            root.locator(close).click()
            assert desk.evaluate("document.activeElement.matches('.mg-drawing > button')")
    root.scroll_into_view_if_needed()
    count = desk.locator(".jp-Cell").count()
    boxes = root.locator('.mg-box[role="button"]')
    ids = boxes.evaluate_all("all => all.map((e) => e.dataset.id)")
    for id in ids[:3]:
        root.locator(f'.mg-box[data-id="{id}"]').focus()
        desk.keyboard.press("Enter")
        root.locator(f'.mg-frame[data-id="{id}"]').wait_for(timeout=5_000)
    for key in ("d", "d", "x", "a", "b", "ArrowUp", "ArrowDown"):
        desk.keyboard.press(key)
    assert desk.locator(".jp-Cell").count() == count
    open_now = root.locator(".mg-frame").count()
    frames = """(n) => [...document.querySelectorAll('.mg-explorer')]
        .every((e) => e.querySelectorAll('.mg-frame').length === n)"""
    keys = "[w.key for w in gc.get_objects() if type(w).__name__ == 'Explorer']"  # one of them, folded otherwise
    assert lab.execute(desk, f"import gc; print({keys} not in ([], ['0']))") == "True"

    desk.locator(".jp-Cell").last.scroll_into_view_if_needed()  # away, and back
    root.scroll_into_view_if_needed()
    desk.wait_for_function(frames, arg=open_now)

    desk.evaluate("() => { window.jupyterapp.commands.execute('notebook:move-cell-down'); }")
    root.locator(".mg-stage svg").wait_for()
    desk.wait_for_function(frames, arg=open_now)  # what the view that is new lacks the kernel draws again

    desk.locator(".jp-Cell:has(.mg-explorer)").click(position={"x": 200, "y": 5})
    desk.evaluate("() => { window.jupyterapp.commands.execute('notebook:create-output-view'); }")
    desk.locator(".mg-explorer").nth(1).locator(".mg-stage svg").wait_for()
    desk.wait_for_function(frames, arg=open_now)

    desk.evaluate("""() => [...window.jupyterapp.shell.widgets('main')].find((one) => one.sessionContext)
        .sessionContext.session.kernel.restart()""")
    root.first.locator(f'.mg-frame[data-id="{ids[0]}"] .mg-toggle').first.click()  # its states are in the page
    desk.wait_for_function(frames, arg=open_now - 1)
    root.first.locator("[data-do=open_all]").click()  # and that one is not
    assert "run the cell again" in root.first.locator(".mg-say").inner_text()


MOVING = """(id) => new Promise((done) => {
    const place = (one) => { const b = one.getBoundingClientRect(); return [b.x, b.y]; };
    const shape = () => document.querySelector(`.mg-stage :is(.mg-box, .mg-frame)[data-id="${id}"] > .mg-shape`);
    const first = place(shape());
    shape().parentElement.querySelector('.mg-toggle').dispatchEvent(new MouseEvent('click', { bubbles: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => {
        const running = document.getAnimations().filter((one) => one.effect.target.closest('.mg-stage'));
        const moving = running.filter((one) => one.effect.getKeyframes().some((k) => k.transform
            && k.transform !== 'none' && !/^translate\\(0px,? ?0?(px)?\\)$/.test(k.transform)));
        const held = place(shape());
        Promise.all(running.map((one) => one.finished)).then(() => done({ first, held, last: place(shape()),
            moving: moving.length, running: running.length, left: document.getAnimations().length }));
    }));
})"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_is_around_an_opened_box_glides_unless_motion_is_not_wanted(page, made, motion):
    page.emulate_media(reduced_motion=motion)
    root = opened(page, made("lenet"))
    for kind in (".mg-frame", ".mg-box"):  # fold it, and open it again
        id = root.locator(f'{kind}[role="button"]').first.get_attribute("data-id")
        found = page.evaluate(MOVING, id)
        assert found["held"] == pytest.approx(found["first"], abs=0.5)
        assert found["last"] == pytest.approx(found["first"], abs=0.5)
        assert (found["moving"] > 3) == (found["running"] > 0) == (motion != "reduce")
        assert found["left"] == 0
