"""Every frame of many graphs: nothing covered, cut, small or out of sight, at any size."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import minigrad
from tests import networks
from tests.answers import answers_d

pytestmark = pytest.mark.browser

MEASURE = (Path(__file__).parent / "stage.js").read_text("utf-8").partition("\n")[2]
SIZES = {"wide": (1280, 720), "column": (960, 620), "notebook": (848, 420), "phone": (390, 844)}
GRAPHS = ["tutorial", "diamond", "fan in", "mlp", "shared mlp", "lenet", "attention", "residual", "views",
          "copy slices", "hooks", "unbind", "freed", "many inputs", "tied", "broadcast", "norms", "rnn 10", "chinese",
          "detach"]
# every event in one language and theme, every step in the others
WALK = """async (least) => {
    const measure = MEASURE, root = document.querySelector('.mg-player'), found = {}, press = (key, shiftKey) =>
        (document.activeElement ?? root).dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey, bubbles: true }));
    root.focus();
    for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);   // a new size has been laid out
    const count = () => root.querySelector('.mg-count').textContent, few = FEW || parseInt(count().split('/')[1]) > 9;
    for (let last = ''; last !== count();) {
        last = count();
        const defects = measure(least);
        if (defects.length) found[last] = defects;
        press('ArrowRight', !few);
    }
    return found;
}""".replace("MEASURE", MEASURE)

COVERED = """() => {  // nodes beneath a gradient that came too late
    const box = (el) => el.getBoundingClientRect(), one = box(document.querySelector('.mg-stranded'));
    const meets = (b) => b.left < one.right && one.left < b.right && b.top < one.bottom && one.top < b.bottom;
    return [...document.querySelectorAll('.mg-node')].filter((el) => meets(box(el))).map((el) => el.dataset.id);
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A player of each graph, as a page."""
    folder = tmp_path_factory.mktemp("stages")

    def page_of(name: str) -> str:
        file = folder / f"{name}.html"
        if not file.exists():
            html, _ = networks.run(name, minigrad, lambda *roots, names: minigrad.step(  # while the modules live
                roots[0], preview=True, names=names).to_html())
            file.write_text(html, encoding="utf-8")
        return file.as_uri()

    return page_of


@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_is_covered_cut_or_out_of_sight(page, made, name):
    page.emulate_media(reduced_motion="reduce")
    page.on("console", lambda message: pytest.fail(message.text))
    page.goto(made(name))
    player, found = page.locator(".mg-player"), {}
    for size, (width, height) in SIZES.items():
        player.press("Home")                                   # before the new size: no key comes after it
        page.set_viewport_size({"width": width, "height": height})
        for keys, few in (("", "false"), ("Home t l", "true"), ("Home t", "true"), ("Home t l l", "true")):
            player.focus()
            for key in keys.split():
                page.keyboard.press(key)
            if defects := page.evaluate(WALK.replace("FEW", few), 12):
                found[f"{size} {player.get_attribute('class')}"] = defects
    assert json.dumps(found, ensure_ascii=False, indent=1)[:3000] == "{}"


@pytest.mark.parametrize("name", ["norms", "broadcast", "attention"])
def test_no_rule_is_wider_than_its_card_from_600_px_on(page, made, name):
    page.goto(made(name))
    player, card, count = page.locator(".mg-player"), page.locator(".mg-card"), page.locator(".mg-count")
    for width, height, presents in ((600, 800, True), (960, 620, False), (1280, 720, False)):
        page.set_viewport_size({"width": width, "height": height})
        player.focus()
        page.keyboard.press("Home")
        if presents != ("mg-presenting" in player.get_attribute("class")):
            page.keyboard.press("f")
        last = ""
        while last != (last := count.inner_text()):
            assert card.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1"), (width, last)
            page.keyboard.press("ArrowRight")


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


def test_the_one_drawer_of_many_parameters_is_full_when_all_are(page, made):
    page.goto(made("attention"))
    page.locator(".mg-player").focus()
    count, drawer = page.locator(".mg-count"), page.locator('.mg-acc[data-id="n22"]')
    for step, full in ((22, False), (67, False), (69, True)):  # the first of eight gradients is there, and the last
        for _ in range(200):
            if count.inner_text() == f"{step} / 73":
                break
            page.keyboard.press("Shift+ArrowRight")
        assert count.inner_text() == f"{step} / 73"
        assert ("mg-done" in drawer.get_attribute("class")) == full


def test_of_a_leaf_wider_than_the_stage_the_name_is_in_sight(page, tmp_path):
    w = minigrad.tensor([-0.00012, 0.00461, -0.00133, 0.00147], requires_grad=True)
    minigrad.save_page(minigrad.step((w * w).sum(), preview=True), tmp_path / "wide.html")
    page.set_viewport_size({"width": 240, "height": 844})
    page.goto((tmp_path / "wide.html").as_uri())
    page.locator(".mg-player").press("End")

    name = page.locator('.mg-leaf[data-node] text:has(> tspan:text-is("w"))')
    assert "mg-outside" not in (name.get_attribute("class") or "")
    assert name.bounding_box()["x"] > page.locator(".mg-stage").bounding_box()["x"]


def test_a_turn_of_a_loop_is_a_step_and_the_way_round_says_how_far_it_is(page, made):
    page.goto(made("rnn 10"))
    player, count = page.locator(".mg-player"), page.locator(".mg-count")
    said, way, seen = player.locator(".mg-loop > text"), player.locator(".mg-loop.mg-on"), []
    for _ in range(11):
        seen.append((count.inner_text(), said.text_content(), way.count()))
        player.locator('[data-do="next"]').click()
    assert seen[:2] == [("0 / 54", "t → t + 1, 9 ×", 0), ("1 / 54", "t → t + 1, 9 ×", 0)]
    assert seen[2:11] == [(f"{6 + 5 * i} / 54", f"turn {10 - i} of 10", 1) for i in range(9)]
    assert (count.inner_text(), said.text_content()) == ("54 / 54", "turn 1 of 10 ✓")  # the weights are in its box
    page.keyboard.press("Home")  # what was pressed last has nothing more to do, and keys arrive all the same
    for _ in range(9):
        page.keyboard.press("Shift+ArrowRight")
    assert player.locator(".mg-scope").inner_text().endswith("10 / 10")
    assert (said.text_content(), way.count()) == ("turn 10 of 10", 0)


def test_the_camera_keeps_still_glides_shows_all_and_follows_the_map(page, made):
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 848, "height": 420})
    page.goto(made("tutorial"))
    player, svg = page.locator(".mg-player"), page.locator(".mg-stage > svg")
    player.focus()
    views = []
    for _ in range(16):
        views.append(svg.get_attribute("style"))
        page.keyboard.press("Shift+ArrowRight")
    assert 2 <= len(set(views)) <= 6
    box = player.locator(".mg-map").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert svg.get_attribute("style") != views[-1]
    page.keyboard.press("0")
    assert float(svg.get_attribute("width")) <= 848


SCRUB = """(at) => { const range = document.querySelector('.mg-bar input'); range.value = at;
    range.dispatchEvent(new Event('input', { bubbles: true })); }"""
TOKENS = """(edge) => [...document.querySelectorAll('.mg-token')].map((token) => {
    const path = document.querySelector(`.mg-edge[data-id="${edge}"] > path`), at = token.transform.baseVal[0].matrix;
    const steps = Array.from({ length: 201 }, (_, i) => path.getPointAtLength(path.getTotalLength() * i / 200));
    const away = steps.map((p) => Math.hypot(p.x - at.e, p.y - at.f)), near = Math.min(...away);
    return [token.textContent, away.indexOf(near) / 200, near]; })"""


def frame_of(page, text):
    """The number of the first event whose caption has these words."""
    page.locator(".mg-say").wait_for()
    for k in range(60):
        page.evaluate(SCRUB, k)
        if text in page.locator(".mg-say").inner_text():
            return k
    raise AssertionError(text)


def test_gradients_travel_along_their_wires_and_meet_and_notes_slide_and_go(page, made):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(made("diamond"))
    k = frame_of(page, "sends 2 to PowBackward0")
    ways = []
    for u in (0.1, 0.3, 0.5):
        page.evaluate(SCRUB, k - 1 + u)
        ways.append(next(one for one in page.evaluate(TOKENS, "n3:0") if one[0] == "2"))
    assert all(near < 2 for _, _, near in ways)
    assert ways[0][1] < ways[1][1] < ways[2][1]
    for u, texts in ((0.3, ["2", "5"]), (0.7, ["2", "5"]), (0.96, ["7"])):  # 5 waits, 2 comes to it, and both are 7
        page.evaluate(SCRUB, k - 1 + u)
        assert sorted(page.locator(".mg-token").all_text_contents()) == texts
    page.evaluate(SCRUB, k)
    assert page.locator(".mg-token").count() == 0

    k, dock = frame_of(page, "PowBackward0 computes"), page.locator(".mg-dock").bounding_box()
    heights = []
    for u in (0.02, 0.3, 0.45, 0.58):
        page.evaluate(SCRUB, k - 1 + u)
        heights.append(page.locator(".mg-note").bounding_box()["y"])
    assert heights == sorted(heights)
    assert heights[-1] > dock["y"]
    k = frame_of(page, "is freed")
    page.evaluate(SCRUB, k - 0.5)
    assert page.locator(".mg-note").count() == 1
    assert page.locator(".mg-saved.mg-freed").count() == 0
    page.evaluate(SCRUB, k)
    assert page.locator(".mg-saved.mg-freed").count() == 1


def test_play_moves_at_its_speed_and_stands_still_for_those_who_ask(page, made):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(made("diamond"))
    player = page.locator(".mg-player")
    player.focus()
    for key in "++ ":
        page.keyboard.press(key)
    assert page.locator(".mg-pace").input_value() == "4"
    page.locator(".mg-token").first.wait_for()
    page.locator(".mg-note").first.wait_for()
    page.wait_for_function("() => document.querySelector('.mg-count').textContent === '5 / 5'", timeout=12_000)
    page.wait_for_function("() => document.querySelectorAll('.mg-token').length === 0")

    page.emulate_media(reduced_motion="reduce")
    page.keyboard.press("Home")
    for _ in range(13):
        page.keyboard.press("Shift+ArrowRight")
        assert page.locator(".mg-token, .mg-note").count() == 0


def test_a_node_that_is_not_ready_runs_anyway_and_what_is_stranded_stands_beside_the_truth(page, tmp_path):
    x = minigrad.tensor([3.0, 3.0, 3.0], requires_grad=True)
    h = x**2
    y = (h * 2 + h * 5).sum()
    file = tmp_path / "anyway.html"
    file.write_text(minigrad.step(y, preview=True, anyway=True, drive=True).to_html(), encoding="utf-8")
    page.goto(file.as_uri())
    player = page.locator(".mg-player")
    for node in ("n6", "n1", "n5"):
        player.locator(f'.mg-node[data-id="{node}"]').click()
        if node == "n6":
            assert "no mistake" in player.locator(".mg-say").inner_text()
        if node == "n5":
            assert "nothing to work with" in player.locator(".mg-say").inner_text()
    assert player.locator('[data-do="anyway"]').count() == 0

    for node in ("n2", "n3", "n5"):
        player.locator(f'.mg-node[data-id="{node}"]').click()
    player.locator('[data-do="anyway"]').click()
    assert "1 of 2" in player.locator(".mg-say").inner_text()
    slider = player.locator(".mg-bar input")
    assert slider.evaluate("(e) => Number(e.value) < Number(e.max)")  # two nodes are to come
    slider.evaluate("(e) => { e.value = e.max; e.dispatchEvent(new Event('input')); }")
    assert "1 of 2" in player.locator(".mg-say").inner_text()
    assert player.locator('[data-slot="edge:n5:0"]').text_content() == "[30, 30, 30]"
    player.locator('.mg-node[data-id="n6"]').click()
    assert "makes no difference" not in player.locator(".mg-say").inner_text()  # it would be said of a true run
    player.locator('.mg-node[data-id="n4"]').click()
    assert player.locator(".mg-stranded").all_text_contents() == ["[2, 2, 2]"]
    assert page.evaluate(COVERED) == []
    said = player.locator(".mg-card").inner_text().replace("\n", " ")
    for part in ("x.grad", "! ran too early", "30", "≠", "true", "42", "stranded at PowBackward0"):
        assert part in said
    assert page.evaluate(MEASURE, 12) == []

    player.locator('.mg-node[data-id="n4"]').click()  # it has run: the way back is still there
    player.locator('[data-do="back"]').click()
    for node in ("n4", "n5", "n6"):
        player.locator(f'.mg-node[data-id="{node}"]').click()
    assert page.locator('[data-slot^="grad:"]').text_content() == "[42, 42, 42]"
    assert player.locator(".mg-stranded").count() == 0


def test_two_views_of_a_player_show_one_run_also_where_a_node_was_forced(page, tmp_path):
    x = minigrad.tensor(3.0, requires_grad=True)
    h = x**2
    y = h * 2 + h * 5
    html = minigrad.step(y, preview=True, anyway=True, drive=True).to_html()
    twice = html.replace('<div data-model="0"></div>', '<div data-model="0"></div>' * 2)
    file = tmp_path / "two.html"
    file.write_text(twice.replace("model: new Model(state)", "model: (globalThis.one ??= new Model(state))"), "utf-8")
    page.goto(file.as_uri())
    first, second = page.locator(".mg-player").all()
    told = """(root) => [...root.querySelectorAll('[data-slot], .mg-count, .mg-badge text, .mg-stranded, .mg-card')]
        .map((one) => one.textContent)"""
    for click in ('[data-id="n1"]', '[data-id="n2"]', '[data-id="n4"]', '[data-do="anyway"]', '[data-id="n3"]',
                  '[data-do="last"]', '[data-do="back"]', '[data-id="n3"]'):
        first.locator(f".mg-node{click}, button{click}").click()
        if click != '[data-id="n4"]':  # a refusal is told to whoever asked
            assert first.evaluate(told) == second.evaluate(told), click
        if click == '[data-do="last"]':
            assert "true 42" in second.locator(".mg-card").inner_text().replace("\n", " ")


def test_words_in_both_languages_take_the_room_that_the_equation_leaves_them(page, tmp_path):
    x, k = minigrad.tensor([1.0, -2.0], requires_grad=True), minigrad.tensor(2.0, requires_grad=True)
    a, b = (x * k).unbind()
    z = a * b + a.exp()
    z.register_hook(lambda g: g.clamp(-1, 0.5))
    loss = z * 3
    file = tmp_path / "both.html"
    file.write_text(minigrad.step(loss, preview=True, lang="both").to_html(), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["notebook"], strict=True)))
    page.goto(file.as_uri())
    assert "mg-beside" in page.locator(".mg-player").get_attribute("class")
    assert page.evaluate(WALK.replace("FEW", "true"), 12) == {}


@pytest.mark.parametrize("name", ["many inputs", "tied", "norms", "lenet", "tutorial"])
def test_words_in_both_languages_fit_beside_a_graph_in_a_low_room(page, made, name):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["notebook"], strict=True)))
    page.goto(made(name))
    page.locator(".mg-player").press("l")
    page.keyboard.press("l")
    assert "mg-both" in page.locator(".mg-player").get_attribute("class")
    assert page.evaluate(WALK.replace("FEW", "true"), 12) == {}


def test_what_moves_along_300_ways_is_measured_before_any_of_it_is_drawn(page, tmp_path):
    leaves = [minigrad.tensor(float(i), requires_grad=True) for i in range(300)]
    file = tmp_path / "wide.html"
    file.write_text(minigrad.step(minigrad.stack(leaves).sum(), preview=True).to_html(), encoding="utf-8")
    page.emulate_media(reduced_motion="no-preference")
    page.goto(file.as_uri())
    page.locator(".mg-player").press("ArrowRight")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    layouts = []
    for key in ("", "ArrowRight"):
        page.evaluate("""(key) => document.querySelector('.mg-player')
            .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))""", key)
        found = session.send("Performance.getMetrics")["metrics"]
        layouts.append(next(one["value"] for one in found if one["name"] == "LayoutCount"))
    assert layouts[1] - layouts[0] < 60  # of 300 wires none is laid out alone
    assert 0 < page.locator(".mg-token").count() < 100  # and what nobody sees stays where it is


def test_a_step_of_a_graph_of_150_ways_is_laid_out_a_few_times_and_no_more(page, tmp_path):
    leaves = [minigrad.tensor(float(i), requires_grad=True) for i in range(150)]
    loss = minigrad.stack(leaves).sum()
    file = tmp_path / "wide.html"
    file.write_text(minigrad.step(loss, preview=True).to_html(), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["wide"], strict=True)))
    page.goto(file.as_uri())
    page.locator(".mg-player").focus()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    layouts = []
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        found = session.send("Performance.getMetrics")["metrics"]
        layouts.append(next(one["value"] for one in found if one["name"] == "LayoutCount"))
    assert page.locator(".mg-queue").inner_text().count("AccumulateGrad") > 2
    assert "+1" in page.locator(".mg-queue").inner_text()
    assert max(b - a for a, b in itertools.pairwise(layouts[2:])) <= 16  # of 150 chips none is laid out alone
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    lit = "() => document.querySelectorAll('.mg-under.mg-ready').length"
    page.wait_for_function(f"() => ({lit})() < 3")             # what was lit before is out
    shown = page.evaluate(f"""() => {{ document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', {{ key: 'ArrowRight', bubbles: true }})); return ({lit})(); }}""")
    assert 2 < shown < 100                                     # those in sight, in the frame that comes next
    assert page.locator(".mg-card > .mg-rule").count() == 24
    page.wait_for_function(f"() => ({lit})() === 150")         # and soon all


TRIED = """() => { const card = document.querySelector('.mg-card'), swap = card.replaceChildren;
    let tried = 0;
    card.replaceChildren = (...kids) => { tried += 1; swap.apply(card, kids); };
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    return [tried, card.querySelectorAll('.mg-rule').length, card.scrollHeight > card.clientHeight]; }"""


@pytest.mark.parametrize("named", [False, True])
def test_of_many_rows_those_in_sight_are_there_at_once_in_the_form_that_fits(page, tmp_path, named):
    wide = [minigrad.tensor(float(i), requires_grad=True) for i in range(30)]
    if named:
        what_all_leaves_are_put_into_in_their_order = minigrad.stack(wide)
        loss = what_all_leaves_are_put_into_in_their_order.sum()
    else:
        s = minigrad.stack([w.exp() if i % 2 else w.sin() for i, w in enumerate(wide * 4)])
        loss = s.sum()
    file = tmp_path / "rows.html"
    file.write_text(minigrad.step(loss, preview=True).to_html(), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["wide"], strict=True)))
    page.goto(file.as_uri())
    page.locator(".mg-player").press("ArrowRight")
    page.wait_for_timeout(300)                                 # while nothing happens the next card is tried
    tried, rows, full = page.evaluate(TRIED)
    assert full
    assert (tried, rows < 24) == (1, True)
    page.wait_for_function("() => document.querySelectorAll('.mg-card > .mg-rule').length === 24")


def test_of_an_equation_only_the_sizes_that_its_width_leaves_are_tried(page, tmp_path):
    minigrad.manual_seed(0)
    h = minigrad.randn(2, 4)
    for _ in range(3):
        h = (h @ minigrad.randn(4, 4, requires_grad=True) + minigrad.randn(4, requires_grad=True)).tanh()
    file = tmp_path / "matrices.html"
    file.write_text(minigrad.step(h.sum(), preview=True).to_html(), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["wide"], strict=True)))
    page.goto(file.as_uri())
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    layouts = []
    for key in ["", *["ArrowRight"] * 7]:
        page.evaluate("""(key) => document.querySelector('.mg-player')
            .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))""", key)
        found = session.send("Performance.getMetrics")["metrics"]
        layouts.append(next(one["value"] for one in found if one["name"] == "LayoutCount"))
    assert max(b - a for a, b in itertools.pairwise(layouts)) <= 4


def test_gradients_of_several_outputs_are_counted_and_never_summed(page, made):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(made("unbind"))
    k = frame_of(page, "sends")
    assert "2 of 2 gradients arrived." in page.locator(".mg-card").inner_text()
    assert "Sum" not in page.locator(".mg-card").inner_text()
    page.evaluate(SCRUB, k - 0.1)
    assert page.locator(".mg-token").all_text_contents() == ["1", "1"]  # each on its own way


def test_between_the_side_bars_of_jupyterlab_a_phone_has_a_stage_and_all_controls(page, made, tmp_path):
    html = Path(made("tutorial").removeprefix("file://")).read_text("utf-8")
    file = tmp_path / "narrow.html"
    file.write_text(html.replace('<body class="mg-whole">', '<body style="width: 286px">'), encoding="utf-8")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["phone"], strict=True)))
    page.goto(file.as_uri())
    player = page.locator(".mg-player")
    player.focus()
    for _ in range(3):                                         # in each language, and in both
        page.keyboard.press("l")
        inside = player.evaluate("(e) => [e.clientHeight - e.scrollHeight, e.querySelector('.mg-stage').clientHeight]")
        assert inside[0] >= 0
        assert inside[1] >= 80
        chip, side = (page.locator(one).first.bounding_box() for one in (".mg-chip", ".mg-side"))
        assert chip["y"] + chip["height"] <= side["y"] + side["height"]


def test_every_control_works_by_mouse_and_by_keyboard(page, made):
    page.emulate_media(reduced_motion="reduce")
    page.goto(made("mlp"))
    player, count = page.locator(".mg-player"), page.locator(".mg-count")
    shown = """() => { const root = document.querySelector('.mg-player');
        const on = ['mg-dark', 'mg-en', 'mg-driving', 'mg-presenting'].map((name) => root.classList.contains(name));
        return [root.querySelector('.mg-count').textContent, ...on, root.querySelectorAll('.mg-box').length,
            root.querySelector('[data-do=predict]').ariaPressed].join(); }"""
    keys = {"next": "ArrowRight", "prev": "ArrowLeft", "last": "End", "first": "Home", "open": "o", "predict": "p",
            "drive": "d", "lang": "l", "theme": "t", "present": "f"}
    for name, key in keys.items():
        seen = []
        for press in ("mouse", "tab", "key"):
            page.goto(made("mlp"))
            player.wait_for()
            if name in ("prev", "first"):
                player.locator('[data-do="last"]').click()
            before, button = page.evaluate(shown), player.locator(f'[data-do="{name}"]')
            if press == "mouse":
                button.click()
            elif press == "tab":
                button.focus()
                page.keyboard.press("Enter")
            else:
                player.focus()
                page.keyboard.press(key)
            seen.append(page.evaluate(shown))
            assert seen[-1] != before
        assert len(set(seen)) == 1
    page.goto(made("mlp"))
    for name in keys.keys() | {"play"}:  # all can be reached, in the order in which they stand
        assert player.locator(f'[data-do="{name}"]').evaluate("(el) => el.tabIndex") == 0
    slider = player.locator(".mg-bar input")
    slider.focus()
    page.keyboard.press("Shift+ArrowRight")
    assert count.inner_text() == "1a / 11"


def test_play_stops_at_a_breakpoint_also_inside_a_box(page, made):
    page.emulate_media(reduced_motion="reduce")
    page.goto(made("mlp"))
    player, count = page.locator(".mg-player"), page.locator(".mg-count")
    player.focus()
    for key in ("o", *["ArrowRight"] * 5, "b", "Home", "+", "+", " "):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.mg-count').textContent.startsWith('5')")
    page.wait_for_timeout(500)
    assert count.inner_text() in ("5a / 11", "5 / 11")
    for key in ("Home", "c"):
        page.keyboard.press(key)
    assert count.inner_text() == "5 / 11"
    for key in ("o", "Home", " "):  # folded: the box that hides it
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('.mg-count').textContent.startsWith('5')")


@pytest.mark.parametrize("name", ["resnet"])
def test_long_names_fit_in_every_rule_and_queue_of_an_opened_network(page, made, name):
    page.goto(made(name))
    player, card, count = page.locator(".mg-player"), page.locator(".mg-card"), page.locator(".mg-count")
    for width, height in ((1280, 720), (960, 620), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        player.focus()
        page.keyboard.press("Home")
        if width == 1280:
            page.keyboard.press("o")
        last = ""
        while last != (last := count.inner_text()):
            assert card.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1"), (width, last)
            assert page.locator(".mg-side").evaluate("(e) => e.scrollHeight <= e.clientHeight + 2"), (width, last)
            page.keyboard.press("ArrowRight")


CUT = """(card) => [...card.querySelectorAll("math mi")].filter((name) => {
    const range = document.createRange(), wide = () => range.getBoundingClientRect().width;
    range.selectNodeContents(name);
    const before = wide();
    name.style.whiteSpace = "nowrap";
    const cut = wide() > before + 1;
    name.style.whiteSpace = "";
    return cut;
}).map((name) => name.textContent)"""  # what stands behind a hyphen that would end a line is not drawn


def test_no_name_in_a_rule_is_broken_where_its_end_would_not_be_seen(page, tmp_path):
    x = minigrad.tensor([3.0, 4.0], requires_grad=True)

    def force():
        dist = x.norm()
        return (dist - 1e-03) * x.sum() / (dist + 1e-06)

    y = force()
    file = tmp_path / "hyphens.html"
    file.write_text(minigrad.step(y, preview=True).to_html(), encoding="utf-8")
    page.goto(file.as_uri())
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".mg-player").focus()
    card = page.locator(".mg-card")
    for _ in range(8):
        page.keyboard.press("ArrowRight")
        for width in range(100, 400, 50):
            card.evaluate("(e, width) => { e.style.maxWidth = `${width}px`; }", width)
            assert card.evaluate(CUT) == [], width
        card.evaluate("(e) => { e.style.maxWidth = ''; }")


def hooked():
    def run(hook):
        x, w = (minigrad.tensor(data, requires_grad=True) for data in ([1.0, 2.0], [3.0, 4.0]))
        y = x * w
        if hook:
            y.register_hook(lambda grad: grad * 10)
        loss = (y * w + y).sum()
        return minigrad.step(loss, preview=True)

    return minigrad.compare(run(False), run(True))


def two_networks():
    runs = (networks.run("mlp", minigrad, lambda *roots, names: minigrad.step(roots[0], preview=True, names=names))
            for _ in range(2))
    return minigrad.compare(*(player for player, _ in runs))


def second():
    x = minigrad.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    return minigrad.compare(minigrad.step(loss), minigrad.step(loss))


def own_engine():
    def program(x, number):
        a = x * number(3.0)
        return a + a * number(2.0) * number(5.0)

    own = answers_d.with_backward(answers_d.at_the_first_arrival)
    x = minigrad.tensor(2.0, requires_grad=True)
    return minigrad.step(program(own(2.0), own), beside=program(x, minigrad.tensor))


BOTH = """(least) => {
    const all = (selector, of) => [...document.querySelectorAll(selector)].flatMap(of);
    const box = (e) => e.getBoundingClientRect();
    return { sizes: all('.mg-stage', (stage) => [stage.clientWidth, stage.clientHeight]),
        least: Math.min(...all('.mg-comparison > .mg-bar button', (e) => [box(e).width, box(e).height])),
        defects: all('.mg-player', (root) => (MEASURE)(least, root)) };
}""".replace("MEASURE", MEASURE)


@pytest.mark.parametrize("size", ["wide", "column", "phone"])
@pytest.mark.parametrize("make", [hooked, two_networks, second, own_engine])
def test_two_runs_keep_their_areas_and_all_is_in_sight(page, tmp_path, make, size):
    page.emulate_media(reduced_motion="reduce", color_scheme="light" if size == "wide" else "dark")
    page.on("console", lambda message: pytest.fail(message.text))
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    made = make()
    page.goto(minigrad.save_page(made, tmp_path / "two.html").as_uri())
    page.locator(".mg-comparison").focus()
    for language in ("en", "zh"):
        page.keyboard.press("Home")
        page.wait_for_timeout(50)
        first = page.evaluate(BOTH, 12)["sizes"]
        for moment in range(len(made.moments)):
            seen = page.evaluate(BOTH, 12)
            assert seen["defects"] == [], (language, moment)
            assert seen["sizes"] == first, (language, moment)
            assert seen["least"] >= (44 if size == "phone" else 36)
            page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("l")


@pytest.mark.parametrize("size", ["column", "phone"])
def test_the_camera_follows_who_goes_to_a_node_by_keyboard(page, made, size):
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    page.goto(made("views"))
    root, nodes = page.locator(".mg-player"), page.locator(".mg-stage .mg-node[tabindex='0']")
    root.focus()
    page.keyboard.press("d")
    reached = set()
    for _ in range(nodes.count() + 2):
        page.keyboard.press("Tab")
        at = page.evaluate("""() => { const e = document.activeElement, stage = document.querySelector('.mg-stage');
            if (!e.matches('.mg-node')) return null;
            const a = e.querySelector('.mg-shape').getBoundingClientRect(), b = stage.getBoundingClientRect();
            return [e.dataset.id, a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1
                    && a.bottom <= b.bottom + 1, stage.scrollLeft, stage.scrollTop]; }""")
        if at:
            assert at[1:] == [True, 0, 0], at
            assert [d for d in page.evaluate(MEASURE, 12) if d.startswith(("cut", "covered"))] == []
            reached.add(at[0])
    assert len(reached) == nodes.count()
