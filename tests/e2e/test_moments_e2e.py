"""The widgets of the course in Chromium: each by mouse and by keyboard, in both languages, light and dark."""

from __future__ import annotations

import nbformat
import pytest

import minigrad as torch
from minigrad.graph.followed import Followed, written
from minigrad.text import set_language
from minigrad.viz.board import Board
from tests.e2e.moments import show

pytestmark = pytest.mark.browser
SIZES = """() => [...document.querySelectorAll('.mg-moment *')].filter((e) => [...e.childNodes]
    .some((n) => n.nodeType === 3 && n.data.trim())).map((e) => {
        const svg = e.ownerSVGElement?.closest('.mg-picture > svg') ?? e.ownerSVGElement;
        const zoom = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        return [parseFloat(getComputedStyle(e).fontSize) * zoom, e.textContent];
    }).filter(([size]) => size < 11.99)"""
LOOKS = [("en", False, 1100), ("zh", True, 390)]
BOTH = pytest.mark.parametrize("look", LOOKS, ids=["en-light-wide", "zh-dark-phone"])


@pytest.fixture(autouse=True)
def english_again():
    yield
    set_language("en")


@pytest.fixture
def opened(page):
    """Shows a widget made in a language; text is large enough, and nothing sticks out, when the test ends."""
    def open_(look, make, **options):
        set_language(look[0])
        widget = make()
        return widget, show(page, widget, look[1], look[2], **options)

    yield open_
    assert page.evaluate(SIZES) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def told(root, *words):
    """Wait until the widget's own line has one of these words, in English or Chinese."""
    root.locator(".mg-say", has_text=words[0]).or_(root.locator(".mg-say", has_text=words[-1])).wait_for()


def loss_at(w):
    return (w * 1.5 - 1.5) ** 2


@BOTH
def test_nudge_by_mouse(opened, page, look):
    widget, root = opened(look, lambda: torch.nudge(loss_at))
    root.locator("button.mg-main").click()
    told(root, "First type", "请先填")
    assert "0.45" not in root.inner_text()
    board, dot = root.locator("svg.mg-graph").first.bounding_box(), root.locator("[data-dot]")
    before = dot.get_attribute("transform")
    page.mouse.move(board["x"] + board["width"] / 2, board["y"] + 60)
    page.mouse.down()
    page.mouse.move(board["x"] + board["width"] * 0.25, board["y"] + 60)
    page.mouse.up()
    assert dot.get_attribute("transform") != before
    root.locator("input[type=text]").fill("1")
    root.locator("button.mg-main").click()
    told(root, "✗")

    assert widget.rounds[0]["w"] < 1.2
    assert root.locator(".mg-tangent").count() == 1
    assert root.locator("rect.mg-true, rect.mg-foretold").count() == 2
    root.locator("button", has_text="H").click()
    told(root, "dx = 0.05")


@BOTH
def test_nudge_by_keyboard(opened, page, look):
    widget, root = opened(look, lambda: torch.nudge(loss_at))
    page.locator("#before").focus()
    page.keyboard.press("Tab")
    assert root.evaluate("e => e === document.activeElement")
    page.keyboard.press("Tab")
    for key in ("ArrowLeft", "ArrowRight", "Tab"):
        page.keyboard.press(key)
    page.keyboard.type("0.45")
    page.keyboard.press("Enter")
    told(root, "✓")
    assert page.evaluate("document.activeElement.name") == "guess"  # the next one can be typed
    page.keyboard.press("h")
    told(root, "dx = 0.05")
    page.keyboard.type("0.225")
    page.keyboard.press("Enter")
    told(root, "✓")
    page.keyboard.press("Escape")

    assert page.evaluate("document.activeElement === document.body")
    assert [right for _, _, right in widget.answers] == [True, True]
    assert widget.rounds[1]["dx"] == 0.05


@BOTH
def test_a_heat_map_by_mouse_and_by_keyboard(opened, page, look):
    widget, root = opened(look, lambda: torch.nudge(lambda x: x**3, x=torch.tensor([1.0, 2.0, -3.0])))
    assert "27" not in root.inner_text()
    for place in (0, 4):
        root.locator("input[name=cell]").nth(place).click()
    root.locator("input[name=cell]").nth(8).focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    told(root, "✓")

    assert "27" in root.inner_text()
    assert widget.answers[0][1:] == (["0,0", "1,1", "2,2"], True)


def test_without_a_kernel_it_says_so_and_a_second_view_goes_on(opened, page):
    widget, root = opened(LOOKS[0], lambda: torch.nudge(loss_at), kernel=False)
    root.locator("input[type=text]").fill("0.45")
    page.keyboard.press("Enter")
    told(root, "A page has no kernel")

    assert "0.4725" not in root.inner_text()
    assert widget.answers == []


def test_a_view_made_again_shows_what_was_answered_and_a_new_page_does_not(opened, page):
    widget, root = opened(LOOKS[0], lambda: torch.nudge(loss_at))
    root.locator("input[type=text]").fill("0.45")
    page.keyboard.press("Enter")
    told(root, "✓")
    page.evaluate("close_view(); document.querySelector('main').replaceChildren(); again()")
    assert "0.4725" in page.locator(".mg-moment").inner_text()

    fresh = page.context.new_page()
    root = show(fresh, widget)

    assert "0.4725" not in root.inner_text()
    fresh.close()


def trained():
    km, fare = torch.tensor([0.5, 1.5, 2.5]), torch.tensor([1.0, 1.5, 2.0])
    w, b = (torch.tensor(0.0, requires_grad=True) for _ in range(2))

    def one_round(clear=True, downhill=True):
        loss = ((w * km + b - fare) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for knob in (w, b):
                knob -= (0.1 if downhill else -0.1) * knob.grad
                knob.grad = None if clear else knob.grad
        return loss

    return torch.training(one_round, w, b)


@BOTH
def test_training_by_mouse(opened, page, look):
    widget, root = opened(look, trained)
    for name in ("clear", "downhill"):
        root.locator("label", has_text=name).click()
    root.locator("label", has_text="swings").or_(root.locator("label", has_text="摆动")).click()
    root.locator("button.mg-main").click()
    told(root, "One switch at a time", "一次只拨一个")
    assert root.locator(".mg-curve").count() == 0
    root.locator("label", has_text="downhill").click()
    root.locator("button.mg-main").click()
    told(root, "✓")

    assert root.locator("svg .mg-curve").count() == 8
    assert widget.answers[0][2]


@BOTH
def test_training_by_keyboard(opened, page, look):
    widget, root = opened(look, trained)
    root.locator("input[name=switch]").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    told(root, "✓")
    page.keyboard.press("Escape")

    assert widget.answers[0][0].startswith("downhill=False")
    assert page.evaluate("document.activeElement === document.body")


def two_paths():
    w = torch.tensor(2.0, requires_grad=True)
    e1 = w * 1.5 - 1.5
    e2 = w * 2.5 - 2.0
    return torch.paths(e1**2 + e2**2, w, choose=True)


@BOTH
def test_paths_by_mouse(opened, page, look):
    widget, root = opened(look, two_paths)
    root.locator("input[name=total]").fill("19.5")
    page.set_viewport_size({"width": 600, "height": 500})  # the button is in sight, and the picture below it
    root.locator("button.mg-main").click()
    told(root, "First tick", "请先勾出")
    say = root.locator(".mg-say").bounding_box()
    assert say["y"] + say["height"] <= 500
    assert "4.5" not in root.inner_text()
    for place in widget.counting:
        root.locator("label.mg-option").nth(place).click()
    root.locator("button.mg-main").click()
    told(root, "✓")

    assert "4.5 + 15 = 19.5" in root.inner_text()
    assert root.locator(".mg-marked").count() > 8


@BOTH
def test_paths_by_keyboard(opened, page, look):
    widget, root = opened(look, two_paths)
    root.locator("input[name=way]").first.focus()
    for place in range(6):
        if place in widget.counting:
            page.keyboard.press("Space")
        page.keyboard.press("Tab")
    page.keyboard.type("19.5")
    page.keyboard.press("Enter")
    told(root, "✓")

    assert widget.answers[0][2]


BILL = """w = torch.tensor([1.0, 2.0], requires_grad=True)
rate = w * 3
rate += 1
total = rate * rate
rate *= 2
total += rate
result = total.sum()"""
CUT = """w = torch.tensor(2.0, requires_grad=True)
pred = w * 1.5
error = torch.tensor(pred.item() - 1.5, requires_grad=True)
loss = error ** 2
loss.backward()"""


@BOTH
def test_versions_by_mouse(opened, page, look):
    _, root = opened(look, lambda: torch.versions(BILL))
    root.locator("input[value='rate,4']").click()
    root.locator("button.mg-main").click()
    told(root, "First mark a line", "请先标出一行")
    assert "v1" not in root.inner_text()
    root.locator("label.mg-option", has_text="rate *= 2").click()
    root.locator("button.mg-main").click()
    told(root, "✓")

    assert root.locator("td.mg-bad").count() == 1
    assert root.locator("table").evaluate("t => t.offsetWidth <= t.parentElement.clientWidth")  # the guilty column, too
    assert root.locator(".mg-option.mg-bad").inner_text().startswith("5")


@BOTH
def test_versions_by_keyboard(opened, page, look):
    widget, root = opened(look, lambda: torch.versions(BILL))
    root.locator("input[name=pin]").first.focus()
    for _ in range(9):  # the row of w, then rate to line 4
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    told(root, "✓", "✗")

    assert widget.answers[0] == (widget.answers[0][0], "rate, 4; 5: rate *= 2", True)


@BOTH
def test_detective_by_mouse(opened, page, look):
    widget, root = opened(look, lambda: torch.detective(CUT, "w"))
    root.locator("button.mg-main").click()
    told(root, "First mark a line", "请先标出一行")
    root.locator("label.mg-option", has_text="loss = error").click()
    root.locator("button.mg-main").click()
    told(root, "Not there", "不在那里")
    assert "None" not in root.inner_text()
    root.locator("label.mg-option", has_text="item()").click()
    root.locator("button.mg-main").click()
    told(root, "✓")

    assert root.locator(".mg-bad").count() == 1
    assert [right for *_, right in widget.answers] == [False, True]


@BOTH
def test_detective_by_keyboard(opened, page, look):
    widget, root = opened(look, lambda: torch.detective(CUT, "w"))
    root.locator("input[name=line]").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    told(root, "✓")
    page.keyboard.press("Escape")

    assert widget.answers[0][2]


RECEIPT = """w = torch.tensor(2.0, requires_grad=True)
km, fare = torch.tensor(1.5), torch.tensor(1.5)
pred = w * km
error = pred - fare
loss = error ** 2"""


def board():
    program = Followed(RECEIPT, {"torch": torch})
    graph, made, _ = written(program)
    return Board(program, graph, made, True)


@BOTH
def test_watch_by_mouse(opened, page, look):
    widget, root = opened(look, board)
    root.locator("button.mg-main").click()
    told(root, "First choose", "请先选")
    assert root.locator("svg.mg-graph").count() == 0
    for i, (name, nones) in enumerate((("", ()), ("", ()), ("MulBackward0", (1,)))):
        root.locator("input[name=pill]").nth(widget.pills(i).index(name)).click()
        for slot in nones:
            root.locator("input[name=slot]").nth(slot).click()
        root.locator("button.mg-main").click()
        root.locator(".mg-now", has_text=RECEIPT.split("\n")[i + 1]).wait_for()

    assert [right for *_, right in widget.answers] == [True] * 3
    assert root.locator(".mg-op").count() == 1


@BOTH
def test_watch_by_keyboard(opened, page, look):
    widget, root = opened(look, board)
    root.focus()
    guesses = ("", ()), ("", ()), ("MulBackward0", (1,)), ("AddBackward0", ()), ("PowBackward0", ())
    for i, (name, nones) in enumerate(guesses):
        pills = widget.pills(i)
        page.keyboard.press(str(1 + (pills.index(name) if name in pills else 0)))
        for _ in nones:
            page.keyboard.press("Tab")
            page.keyboard.press("Tab")
            page.keyboard.press("Space")
        page.keyboard.press("ArrowDown" if i else "Enter")
        if i < 4:
            root.locator(".mg-now", has_text=RECEIPT.split("\n")[i + 1]).wait_for()
    told(root, "✓")
    page.keyboard.press("Escape")

    assert [right for *_, right in widget.answers] == [True, True, True, False, True]
    assert root.locator(".mg-op").count() == 3


def test_in_jupyterlab_the_kernel_answers_and_stores(lab, desk, tmp_path):
    cells = ["import minigrad as torch\n%load_ext minigrad", "n = torch.nudge(lambda w: (w * 1.5 - 1.5) ** 2)\nn",
             f"%%detective w\n{CUT}"]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    book = nbformat.v4.new_notebook(metadata=kernel, cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbformat.write(book, tmp_path / "moments.ipynb")
    lab.open(desk, tmp_path / "moments.ipynb")
    lab.run_all(desk)
    curve, thread = desk.locator(".mg-moment").nth(0), desk.locator(".mg-moment").nth(1)

    curve.locator("input[type=text]").fill("0.45")
    desk.keyboard.press("Enter")
    told(curve, "✓")
    thread.locator("label.mg-option", has_text="item()").click()
    desk.keyboard.press("Enter")
    told(thread, "✓")

    assert lab.execute(desk, "print(n.answers[0][1:], n.rounds[0]['true'])").startswith("(0.45, True) 0.4725")
    assert lab.execute(desk, "print(_.answers[0][2])") == "True"
    assert desk.locator(".jp-Cell").count() == 3  # no key reached the notebook
