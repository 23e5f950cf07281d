"""The player as a learner meets it: in JupyterLab, and as a file of its own.

What the page shows is compared with the engine that ran: order of the nodes, values of `.grad`.
"""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from notebooks import refresh

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
PROGRAM = """
import minigrad as torch
x = torch.tensor([1., -2.])
w = torch.tensor([0.5, 0.25], requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
p = x * w
z = p + b
z.retain_grad()
handle = z.register_hook(lambda g: g.clamp(max=0.78))
h = torch.tanh(z)
loss = h.sum()
"""
STAGE = (Path(__file__).parent / "stage.js").read_text("utf-8").partition("\n")[2]
SIZES = {"projector": (1280, 720), "column": (960, 620), "phone": (390, 844)}


def notebook(folder: Path, *cells: str) -> Path:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    book = nbformat.v4.new_notebook(metadata=kernel, cells=[nbformat.v4.new_code_cell(c) for c in cells])
    path = folder / "player.ipynb"
    nbformat.write(book, path)
    return path


def press(player, name: str) -> None:
    player.locator(f'[data-do="{name}"]').click()


def defects(page, least: int) -> list[str]:
    """What is wrong with the frame once it stands still: the browser grants the whole screen, and its size, later."""
    before, found = None, page.evaluate(STAGE, least)
    while before != found:
        page.wait_for_timeout(60)
        before, found = found, page.evaluate(STAGE, least)
    return found


def count(player) -> str:
    return player.locator(".mg-count").inner_text()


def walk(player) -> list[str]:
    """Press next until the end; the nodes that were current, in their order."""
    seen = []
    while player.locator('[data-do="next"]').is_enabled():
        press(player, "next")
        seen.append(player.locator(".mg-node.mg-now").get_attribute("data-id"))
    return seen


def drawer(player, name: str) -> str:
    """What stands in the `.grad` drawer of a leaf."""
    leaf = player.locator(f'.mg-leaf[data-id]:has(tspan:text-is("{name}"))').get_attribute("data-id")
    return player.locator(f'[data-slot="grad:{leaf}"]').text_content()


def test_next_until_the_end_shows_what_the_engine_did(lab, desk, tmp_path):
    path = notebook(tmp_path, PROGRAM, "player = torch.step(loss)\nplayer")
    lab.open(desk, path)
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()
    assert count(player) == "0 / 6"
    assert drawer(player, "w") == "None"

    order = walk(player)

    assert order == json.loads(lab.execute(desk, "import json; print(json.dumps([s['id'] for s in player.steps]))"))
    assert count(player) == "6 / 6"
    shown = "from minigrad.graph.preview import preview; print(preview(w.grad.numpy()), '|', preview(b.grad.numpy()))"
    assert f"{drawer(player, 'w')} | {drawer(player, 'b')}" == lab.execute(desk, shown)
    assert player.locator(".mg-node.mg-done").count() == 6
    lab.wait_for_kernel(desk, "player.frame", 16)


def test_code_and_all_controls_are_in_sight_in_jupyterlab_and_it_plays_on_when_the_kernel_goes(lab, desk, tmp_path):
    desk.set_viewport_size({"width": 1280, "height": 720})
    cells = (PROGRAM, "player = torch.step(loss, live=True)", "player", "torch.step(z.exp().sum())")
    lab.open(desk, notebook(tmp_path, *cells))
    lab.run_all(desk)
    code = desk.locator(".jp-Notebook .jp-CodeCell").nth(2)
    player = code.locator(".mg-player")
    player.wait_for()
    code.locator(".jp-InputArea").first.evaluate("(el) => el.scrollIntoView({ block: 'start' })")

    top = desk.locator(".jp-NotebookPanel .jp-Notebook").bounding_box()["y"]
    seen = [code.locator(".jp-InputArea").first, *player.locator("button:visible, .mg-stage, .mg-dock").all()]
    for box in (part.bounding_box() for part in seen):
        assert box["y"] >= top - 1
        assert box["y"] + box["height"] <= 720
    assert player.locator(".mg-state").inner_text() == "Live"

    desk.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    desk.locator(".mg-state.mg-gone").wait_for()
    other = desk.locator(".mg-player").last
    assert other.locator(".mg-state").inner_text() == "Recording"
    press(other, "next")
    assert count(other).startswith("1 /")


def test_the_kernel_can_move_the_player(lab, desk, tmp_path):
    lab.open(desk, notebook(tmp_path, PROGRAM, "player = torch.step(loss)\nplayer"))
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()

    lab.execute(desk, "player.frame = 11; player.lang = 'zh'")

    desk.wait_for_function("() => document.querySelector('.mg-count').textContent === '3 / 6'")
    assert "送出" in player.locator(".mg-say").inner_text()


def test_language_theme_and_keys_belong_to_the_player_alone(lab, desk, tmp_path):
    lab.open(desk, notebook(tmp_path, PROGRAM, "player = torch.step(loss)\nplayer"))
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()
    cells = desk.locator(".jp-Notebook .jp-Cell").count()
    player.focus()

    for key in ("ArrowRight", "Shift+ArrowRight"):
        desk.keyboard.press(key)
    assert count(player) == "2a / 6"
    for key in ("d", "d"):  # in the notebook they would delete a cell; here Drive goes on and off
        desk.keyboard.press(key)
    assert desk.locator(".jp-Notebook .jp-Cell").count() == cells
    desk.keyboard.press("Shift+ArrowLeft")
    press(player, "lang")
    assert "释放" in player.locator(".mg-say").inner_text()
    dark = player.evaluate("(el) => getComputedStyle(el).backgroundColor")
    press(player, "theme")
    assert player.evaluate("(el) => getComputedStyle(el).backgroundColor") != dark
    desk.keyboard.press("Escape")
    lab.wait_for_kernel(desk, "player.lang", "zh")


def test_a_click_while_a_cell_runs_waits_and_then_works_on_the_main_thread(lab, desk, tmp_path):
    program = PROGRAM + """
import threading
on_main = []
h.register_hook(lambda g: on_main.append(threading.current_thread() is threading.main_thread()))
"""
    lab.open(desk, notebook(tmp_path, program, "player = torch.step(loss, live=True)\nplayer", "1"))
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()
    assert lab.execute(desk, "print(w.grad, b.grad, len(player.steps))") == "None None 0"

    desk.evaluate("""() => { window.busy = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel
        .requestExecute({ code: "import time; time.sleep(3); during = len(player.steps)" }); }""")
    press(player, "next")
    desk.wait_for_function("() => document.querySelector('.mg-say').textContent.includes('kernel is busy')")
    desk.wait_for_function("() => document.querySelector('.mg-count').textContent.startsWith('1 /')")

    assert lab.execute(desk, "print(during)") == "0"
    for done in range(2, 7):
        press(player, "next")
        desk.wait_for_function(f"() => document.querySelector('.mg-count').textContent.startsWith('{done} /')")
    grads = lab.execute(desk, "print(w.grad, b.grad, on_main)")
    assert grads == "tensor([ 0.7116, -1.5600]) tensor(1.4916) [True]"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_third_lesson_drives_into_a_refusal_and_out_of_it(lab, desk, language):
    lab.open(desk, NOTEBOOKS / language / "lessons" / "03_walk_backward_yourself.ipynb")
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()
    node = {player.locator(f'.mg-node[data-id="{i}"] text').nth(1).text_content() + i: i
            for i in ("n1", "n2", "n3", "n4", "n5")}
    add, pow_ = node["AddBackward0n1"], node["PowBackward0n4"]
    player.scroll_into_view_if_needed()  # it was made while its cell was far below the window
    assert all(text.is_visible() for text in player.locator(".mg-node .mg-b").all())

    player.locator(f'.mg-node[data-id="{add}"]').click()
    player.locator(f'.mg-node[data-id="{pow_}"]').click()

    assert player.locator(".mg-card.mg-refusal").is_visible()
    waits = {"en": "is not ready: it waits for", "zh": "还没有就绪：它在等"}[language]
    assert waits in player.locator(".mg-say").inner_text()
    for choice in ("n3", "n2", "n4", "n5"):  # any ready node may run; PyTorch would take n2 first
        player.locator(f'.mg-node[data-id="{choice}"]').click()
    assert count(player) == "5 / 5"
    assert player.locator(".mg-card.mg-refusal").count() == 0
    assert drawer(player, "w") == lab.execute(desk, "print(int(w.grad))")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_twins_of_the_tutorial_step_to_the_recorded_gradient(lab, desk, language):
    name = "004_gradients_from_start_to_finish.ipynb"
    lab.open(desk, NOTEBOOKS / language / "tutorials" / name)
    lab.run_all(desk)
    player = desk.locator(".mg-player").first
    player.wait_for()

    order = walk(player)

    assert order == ["n1", "n2", "n3", "n4", "n5"]
    assert drawer(player, "x") == "[[6, 6], [6, 6]]"
    assert desk.get_by_text("tensor([[6., 6.],").count() > 0  # what `print(x.grad)` says further down
    assert player.locator(".mg-say").inner_text().startswith("5")


def test_next_and_last_in_drive_take_what_pytorch_would(page, exported):
    page.goto((exported / "first.html").as_uri())
    player = page.locator(".mg-player")
    press(player, "drive")
    press(player, "next")
    assert count(player) == "1 / 6"
    press(player, "last")
    assert count(player) == "6 / 6"
    assert player.locator('[data-do="next"]').is_disabled()


def test_among_leaves_that_are_ready_no_order_is_claimed(page, tmp_path):
    import minigrad

    x, y = (minigrad.tensor(2.0, requires_grad=True) for _ in "xy")
    (tmp_path / "two.html").write_text(minigrad.step(x + y, names={"x": x, "y": y}).to_html(), encoding="utf-8")
    page.goto((tmp_path / "two.html").as_uri())
    player = page.locator(".mg-player")
    press(player, "drive")
    press(player, "next")
    player.locator('.mg-node[data-id="n3"]').click()

    assert "Which AccumulateGrad goes first is not fixed" in player.locator(".mg-say").inner_text()
    assert "PyTorch takes" not in player.locator(".mg-say").inner_text()


# ---- without Jupyter: the exported file, at every size


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A player of the reference program, and one of the second backward through it."""
    import minigrad

    scope: dict = {}
    exec(PROGRAM, scope)
    tensors = {k: v for k, v in scope.items() if isinstance(v, minigrad.Tensor)}
    folder = tmp_path_factory.mktemp("exported")
    for name in ("first", "second"):
        player = minigrad.step(scope["loss"], names=tensors)
        (folder / f"{name}.html").write_text(player.to_html(), encoding="utf-8")
    return folder


MEASURE = """() => {
    const seen = (el) => el.checkVisibility({ visibilityProperty: true }) && el.getClientRects().length;
    const inside = { w: innerWidth, h: innerHeight };
    const small = [], out = [];
    const scroller = (el) => el.closest('.mg-stage');  // the camera goes there
    for (const el of document.querySelectorAll('.mg-player *')) {
        const own = [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
        if (!own || !seen(el)) continue;
        const svg = el.ownerSVGElement, matrix = svg && el.getScreenCTM();
        const size = parseFloat(getComputedStyle(el).fontSize) * (matrix ? matrix.a : 1);
        if (size < 11.99) small.push([el.textContent, size]);
        const box = el.getBoundingClientRect();
        const beyond = box.right > inside.w + 1 || box.bottom > inside.h + 1 || box.left < -1;
        if (!scroller(el) && beyond) out.push(el.textContent);
    }
    const page = document.documentElement;
    const buttons = [...document.querySelectorAll('button')].filter(seen).map((b) => b.getBoundingClientRect());
    return { small, out, scrolls: page.scrollHeight > inside.h + 1 || page.scrollWidth > inside.w + 1,
        low: buttons.map((b) => Math.min(b.width, b.height)) };
}"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "zh", "both"])
def test_the_whole_player_fits_and_every_text_can_be_read(page, exported, size, language):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.goto((exported / "first.html").as_uri())
    player = page.locator(".mg-player")
    player.focus()
    for _ in range({"en": 0, "zh": 1, "both": 2}[language]):
        press(player, "lang")

    for _ in range(17):
        found = page.evaluate(MEASURE)
        assert found["small"] == []
        assert found["out"] == []
        assert not found["scrolls"]
        assert min(found["low"]) >= (44 if size == "phone" else 34)
        player.focus()
        page.keyboard.press("Shift+ArrowRight")
    assert count(player) == "6 / 6"


def test_the_second_backward_is_an_error_with_its_own_shape(page, exported):
    page.goto((exported / "second.html").as_uri())
    player = page.locator(".mg-player")
    press(player, "last")

    assert player.locator(".mg-badge.mg-failed .mg-octagon").is_visible()
    assert "Trying to backward through the graph a second time" in player.locator(".mg-card").inner_text()
    assert player.locator('[data-do="next"]').is_disabled()


def test_a_prediction_hides_what_leaves_until_one_answer_is_given(page, exported):
    page.goto((exported / "first.html").as_uri())
    player, broadcast = page.locator(".mg-player"), page.locator(".mg-sum text").first
    assert broadcast.is_visible()
    press(player, "predict")
    assert not broadcast.is_visible()  # whether it is a sum that reaches b is asked
    press(player, "next")
    assert player.locator(".mg-quizform").is_visible()
    assert player.locator('[data-slot="edge:n1:0"]').text_content() == "?"
    assert player.locator(".mg-rule").count() == 0

    assert player.locator("legend").first.inner_text() == "Who receives what SumBackward0 sends?"
    player.locator('.mg-card input[name="v"]').nth(0).check()
    player.locator(".mg-quizform button").click()  # then its gradient is asked, and still hidden
    assert player.locator(".mg-say").inner_text()[0] in "✓✗"
    assert player.locator('[data-slot="edge:n1:0"]').text_content() == "?"
    player.locator('.mg-card input[name="v"]').nth(0).check()
    player.locator('.mg-card input[name="r"]').nth(0).check()
    player.locator(".mg-quizform button").click()

    assert player.locator('[data-slot="edge:n1:0"]').text_content() == "[1, 1]"
    assert player.locator(".mg-quizform").count() == 0
    assert "[1, 1]" in player.locator(".mg-say").inner_text()


@pytest.mark.parametrize(("size", "turns"), [((1280, 720), 0), ((1280, 720), 1), ((1920, 1080), 1), ((1024, 768), 2)])
def test_presenting_shows_the_graph_and_all_grads_in_large_letters(page, exported, size, turns):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(reduced_motion="reduce")
    page.goto((exported / "first.html").as_uri())
    player, found = page.locator(".mg-player"), {}
    player.focus()
    for key in ("f", *turns * "l"):
        page.keyboard.press(key)

    for _ in range(7):
        player.focus()
        found[count(player)] = defects(page, 24)
        page.keyboard.press("ArrowRight")
    assert {k: v for k, v in found.items() if v} == {}
    assert player.locator(".mg-node.mg-now").is_visible()
    assert player.locator(".mg-pins").inner_text().split() == [
        "loss", "0.157", "b.grad", "1.49", "w.grad", "[0.71,", "−1.56]"]
    assert player.locator(".mg-dock").evaluate("(el) => getComputedStyle(el).getPropertyValue('--mg-type')") == "30px"


HARD = {"matrices": """
x = torch.tensor([[1.0, -2.0], [0.5, 10.0], [-0.25, 1.0]])
w = torch.tensor([[0.5, -0.25], [1.0, 0.1]], requires_grad=True)
loss = ((x @ w.transpose(0, 1)).pow(2) - 1).mean()
""", "two hooks": """
w = torch.tensor(2.0, requires_grad=True)
h = w * 3
h.register_hook(lambda g: g + 1)
h.register_hook(lambda g: g * 10)
h.retain_grad()
loss = h ** 2
""", "a fraction in a call": """
x = torch.tensor([[1., 2., 3.], [2., 0.5, 4.]], requires_grad=True)
its_spread = x.std(1)
loss = its_spread.sum() + x.amax()
""", "a long name": """
the_first_of_all_parameters_that_are_learned = torch.tensor(123456.789, requires_grad=True)
loss = the_first_of_all_parameters_that_are_learned.tanh().exp()
"""}
# what is wrong with how the rules of a card are set
SET = """() => {
    const card = document.querySelector('.mg-card'), found = [], box = (e) => e.getBoundingClientRect();
    if (card.scrollWidth > card.clientWidth + 1) found.push('cut at the right');
    const say = document.querySelector('.mg-say');
    if (say.scrollHeight > say.clientHeight) found.push('caption cut');
    for (const table of [...card.querySelectorAll('mtable')].filter((one) => one.checkVisibility())) {
        const rows = [...table.children], letter = parseFloat(getComputedStyle(table).fontSize);
        if (rows.slice(1).some((row, i) => box(row).y - box(rows[i]).y < 0.9 * letter)) found.push('rows touch');
        for (const row of rows) [...row.children].forEach((cell, j) => {
            const ends = [cell, rows[0].children[j]].map((one) => box(one.lastElementChild).right);
            if (Math.abs(ends[0] - ends[1]) > 1.5) found.push('not in a column: ' + cell.textContent);
        });
    }
    for (const sign of card.querySelectorAll('mo + mo')) {
        const unary = sign.textContent === '−' && /[[(,]/.test(sign.previousElementSibling.textContent);
        if (unary && sign.getAttribute('form') !== 'prefix') found.push('a minus apart from its number');
    }
    return found;
}"""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("program", HARD)
def test_matrices_stand_in_columns_and_no_rule_is_cut(page, tmp_path, program, size):
    import minigrad

    scope: dict = {"torch": minigrad}
    exec(HARD[program], scope)
    names = {k: v for k, v in scope.items() if isinstance(v, minigrad.Tensor)}
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    page.goto(minigrad.save_page(minigrad.step(scope["loss"], names=names), tmp_path / "hard.html").as_uri())
    player, found, tables = page.locator(".mg-player"), {}, 0
    player.focus()
    page.keyboard.press("End")
    while player.locator('[data-do="prev"]').is_enabled():
        tables += player.locator(".mg-card mtable").count()
        found[count(player)] = [*page.evaluate(SET), *defects(page, 12)]
        page.keyboard.press("Shift+ArrowLeft")

    assert {k: v for k, v in found.items() if v} == {}
    assert tables or program in ("two hooks", "a long name")
    player.focus()
    page.keyboard.press("f")
    cut = "(all) => all.filter((p) => p.lastChild.getBoundingClientRect().right > innerWidth).map((p) => p.innerText)"
    assert player.locator(".mg-pin").evaluate_all(cut) == []


def test_where_not_all_has_room_results_stand_without_the_numbers_put_in(page, tmp_path):
    import minigrad as torch

    weights = torch.tensor([0.125, -0.5, 0.75, 2.0], requires_grad=True)
    inputs = torch.tensor([1.5, 2.5, -3.5, 4.5], requires_grad=True)
    made = weights * inputs
    loss = (made * made).sum()
    names = {"weights": weights, "inputs": inputs, "made": made, "loss": loss}
    page.set_viewport_size({"width": 1100, "height": 720})
    page.goto(torch.save_page(torch.step(loss, names=names), tmp_path / "full.html").as_uri())
    player, card = page.locator(".mg-player"), page.locator(".mg-card")
    player.focus()
    page.keyboard.press("End")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    assert count(player) == "3 / 5"
    assert card.locator(".mg-num math").count()
    page.keyboard.press("f")
    page.locator(".mg-presenting").wait_for()

    assert not card.locator(".mg-num math").count()
    assert card.locator(".mg-num").count() == 2
    assert card.evaluate("(el) => el.scrollHeight <= el.clientHeight")


def test_a_lecture_hall_predicts_and_drives_by_a_show_of_hands(page, exported):
    page.goto((exported / "first.html").as_uri())
    player = page.locator(".mg-player")
    player.focus()
    for key in ("f", "p", "ArrowRight"):
        page.keyboard.press(key)
    letters = player.locator(".mg-options label")
    assert [text[0] for text in letters.all_inner_texts()] == ["A", "B", "C"]
    assert defects(page, 24) == []
    assert letters.first.evaluate("(el) => parseFloat(getComputedStyle(el).fontSize)") >= 32

    for key in ("p", "d"):  # the first node has begun
        page.keyboard.press(key)
    assert [text[0] for text in player.locator(".mg-choices button").all_inner_texts()] == ["A", "B", "C", "D"]
    player.locator(".mg-choices button", has_text="MulBackward0").click()
    assert player.locator(".mg-card.mg-refusal").is_visible()
    player.locator(".mg-choices button", has_text="Tanh").click()
    assert count(player) == "2 / 6"


def test_names_from_the_learner_are_text_and_nothing_else(page, tmp_path):
    import minigrad

    a = minigrad.tensor([1.0, 2.0], requires_grad=True)
    name = "<img src=x onerror=window.hacked=1>"
    q = a * a

    def hook(grad):
        print("<script>window.hacked = 1</script>")

    hook.__name__ = name
    q.register_hook(hook)
    player = minigrad.step(q.sum(), names={name: a, "q": q})
    (tmp_path / "names.html").write_text(player.to_html(), encoding="utf-8")
    page.goto((tmp_path / "names.html").as_uri())
    shown = page.locator(".mg-player")

    for key in ("next", "next"):
        press(shown, key)

    assert "<script>" in shown.locator(".mg-printed").first.inner_text()
    assert page.evaluate("() => window.hacked") is None
    assert shown.locator("img, script").count() == 0


def test_a_trusted_notebook_steps_before_any_cell_is_run(lab, desk, tmp_path):
    path = notebook(tmp_path, PROGRAM, "player = torch.step(loss)\nplayer.frame = 9\nplayer")
    with ThreadPoolExecutor(1) as thread:  # the browser's event loop runs on this one
        nbformat.write(thread.submit(asyncio.run, refresh.execute(path)).result(), path)
    lab.trust(path)
    lab.open(desk, path)
    player = desk.locator(".mg-player").first
    player.wait_for()

    assert "DecompressionStream" in path.read_text("utf-8")
    assert count(player) == "0 / 6"
    icons = "(el) => getComputedStyle(el.closest('.jupyter-widgets-disconnected'), '::before').display"
    assert player.evaluate(icons) == "none"  # no broken link above it
    assert walk(player) == ["n1", "n2", "n3", "n4", "n5", "n6"]
    assert drawer(player, "w") == "[0.71, −1.56]"


CODED = """w = torch.tensor([0.5, -1.0], requires_grad=True)
def double(v,
           k=2):
    return torch.tanh(v *
                      k)
total = 0
for i in range(2):
    total = total + double(w)
loss = (total * w).sum()
"""


@pytest.fixture(scope="module")
def coded(tmp_path_factory):
    """A player of a program whose source Python keeps, as of a notebook's cell."""
    import linecache

    import minigrad

    place, scope = "/tmp/ipykernel_1/coded.py", {"torch": minigrad}
    linecache.cache[place] = (len(CODED), None, CODED.splitlines(True), place)
    exec(compile(CODED, place, "exec"), scope)
    folder = tmp_path_factory.mktemp("coded")
    names = {k: scope[k] for k in ("w", "total", "loss")}
    for name, forward in (("forward", True), ("coded", False)):
        player = minigrad.step(scope["loss"], names=names, forward=forward, preview=forward)
        (folder / f"{name}.html").write_text(player.to_html(), encoding="utf-8")
    return (folder / "coded.html").as_uri()


@pytest.mark.parametrize(("size", "language"), [((1100, 720), "en"), ((390, 844), "zh"), ((960, 620), "en")])
def test_the_line_of_each_node_is_lit_beside_the_stage(page, coded, size, language):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(reduced_motion="reduce", color_scheme="dark" if language == "zh" else "light")
    page.goto(coded)
    player, seen, found = page.locator(".mg-player"), [], {}
    player.focus()
    if language == "zh":
        page.keyboard.press("l")

    while player.locator('[data-do="next"]').is_enabled():
        press(player, "next")
        seen.append(player.locator(".mg-code mark").all_inner_texts())
        lit, panel = (player.locator(which).first.bounding_box() for which in (".mg-lit", ".mg-code"))
        assert panel["y"] - 1 <= lit["y"] <= panel["y"] + panel["height"] - lit["height"] + 1
        found[count(player)] = defects(page, 12)
    tanh = ["torch.tanh(v *", "k)"]
    product = ["v *", "k"]
    assert seen[1:5] == [["total * w"], ["total + double(w)"], tanh, product]
    assert {k: v for k, v in found.items() if v} == {}


@pytest.mark.parametrize(("size", "language"), [((1100, 720), "en"), ((390, 844), "zh"), ((960, 620), "en")])
def test_forward_comes_first_and_the_graph_grows(page, coded, size, language):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(reduced_motion="reduce", color_scheme="dark" if language == "zh" else "light")
    page.goto(coded.replace("coded.html", "forward.html"))
    player, grown, found = page.locator(".mg-player"), [], {}
    player.focus()
    if language == "zh":
        page.keyboard.press("l")

    assert count(player) == "→ 1 / 9"
    while not count(player).startswith("0 "):
        grown.append(player.locator(".mg-op:not(.mg-unborn)").count())
        found[count(player)] = defects(page, 12)
        press(player, "next")
    assert grown == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert player.locator(".mg-unborn").count() == 0
    assert {k: v for k, v in found.items() if v} == {}
    press(player, "prev")
    assert ".sum()" in player.locator(".mg-code mark").all_inner_texts()[-1]
    player.focus()
    page.keyboard.press("Home")
    assert count(player) == "→ 1 / 9"
    press(player, "last")
    assert count(player) == "9 / 9"


def test_drawers_and_wires_of_a_closed_box_appear_with_the_box(page, tmp_path):
    import minigrad

    net = minigrad.nn.Sequential(minigrad.nn.Linear(2, 2), minigrad.nn.ReLU(), minigrad.nn.Linear(2, 1))
    player = minigrad.step(net(minigrad.ones(1, 2)).sum(), preview=True, forward=True)
    (tmp_path / "boxes.html").write_text(player.to_html(), encoding="utf-8")
    page.emulate_media(reduced_motion="reduce")
    page.goto((tmp_path / "boxes.html").as_uri())
    seen = []
    while not count(page).startswith("0 "):
        seen.append(tuple(page.locator(f".mg-stage .mg-{kind}:not(.mg-unborn)").count()
                          for kind in ("box", "acc", "edge")))
        page.locator(".mg-player").focus()
        page.keyboard.press("ArrowRight")
    assert [*dict.fromkeys(seen)] == [(1, 2, 0), (2, 2, 1), (3, 4, 2), (3, 4, 3)]


def test_a_moving_value_is_on_its_way_and_can_be_scrubbed_back(page, coded):
    page.emulate_media(reduced_motion="no-preference")
    page.goto(coded.replace("coded.html", "forward.html"))
    player = page.locator(".mg-player")
    slider = player.locator("input[type=range]")
    slider.evaluate("(el) => { el.value = -3.5; el.dispatchEvent(new Event('input')); }")
    assert player.locator(".mg-forth").count() == 1
    assert player.locator(".mg-forth text").evaluate(
        "(el) => getComputedStyle(el).fill === getComputedStyle(el.closest('.mg-player')).color")  # no gradient's
    slider.evaluate("(el) => { el.value = -9; el.dispatchEvent(new Event('input')); }")
    assert player.locator(".mg-forth").count() == 0
    page.wait_for_function("() => !document.querySelector('.mg-player .mg-op:not(.mg-unborn)')")  # a frame later


def test_the_row_and_the_column_that_make_an_entry_light_up(page, tmp_path):
    import minigrad

    a = minigrad.tensor([[1.0, 2.0, 0.5], [3.0, -1.0, 2.0]], requires_grad=True)
    b = minigrad.tensor([[0.5, 2.0], [1.0, -0.5], [4.0, 1.0]], requires_grad=True)
    player = minigrad.step(((a @ b) * 2).sum(-1).sum(), names={"a": a, "b": b})
    (tmp_path / "mm.html").write_text(player.to_html(), encoding="utf-8")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(reduced_motion="reduce")
    page.goto((tmp_path / "mm.html").as_uri())
    for _ in range(4):
        press(page.locator(".mg-player"), "next")
        assert not [part for part in page.locator(".mg-rule math").all_text_contents() if part[0] == "−"]  # of `dim −1`
    rule = page.locator(".mg-rule").first

    entry = rule.locator("mtd[tabindex]").nth(1)  # first row, second column
    for way in ("hover", "focus"):
        getattr(entry, way)()
        assert rule.locator(".mg-source").all_text_contents() == ["2", "2", "1.00", "−0.50", "1"]
        assert page.locator(".mg-say").text_content().replace("\u200b", "") == "[0, 1]2·1.00+2·(−0.50)=1"
        assert defects(page, 12) == []
    page.locator(".mg-player").focus()
    page.mouse.move(5, 5)
    assert page.locator(".mg-source").count() == 0
    assert "MmBackward0 sends" in page.locator(".mg-say").text_content()
    assert defects(page, 12) == []

    page.emulate_media(reduced_motion="no-preference")
    slider = page.locator("input[type=range]")
    at = next(i for i, f in enumerate(player.frames) if f.kind == "compute" and f.step == 4)
    for way, lit, hidden in ((0.4, [], 11), (0.5, ["2", "2", "0.50", "2.00", "5"], 11), (0.98, ["0.50", "2.00"], 0)):
        slider.evaluate("(el, at) => { el.value = at; el.dispatchEvent(new Event('input')); }", at - 1 + way)
        assert page.locator(".mg-source").all_text_contents()[:len(lit) or None] == lit
        assert page.locator(".mg-later").count() == hidden


@pytest.mark.parametrize("size", SIZES)
def test_what_was_asked_and_answered_is_kept_for_a_checker(page, coded, size):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    page.emulate_media(reduced_motion="reduce")
    page.goto(coded)
    player, asked = page.locator(".mg-player"), []
    press(player, "predict")
    for _ in range(20):
        press(player, "next")
        while player.locator(".mg-quizform").count():
            assert defects(page, 12) == []
            asked.append(player.locator("legend").first.inner_text())
            for name in ("v", "r"):
                for choice in player.locator(f'.mg-card input[name="{name}"]').all()[:1]:
                    choice.check()
            player.locator(".mg-quizform button").click()
        if player.locator('[data-do="next"]').is_disabled():
            break
    assert {" ".join(one.split()[:2]) for one in asked} > {"Who receives", "What is", "What does"}
    assert count(player) == "9 / 9"
