"""Without mouse and without screen: every control by Tab, seen where the focus is, named once in the language shown."""

from __future__ import annotations

import re

import pytest

import minigrad as torch
from minigrad.text import set_language
from tests.e2e.moments import show
from tests.e2e.test_moments_e2e import BILL, LOOKS, board, loss_at, trained, two_paths

pytestmark = pytest.mark.browser
BOTH = pytest.mark.parametrize("look", LOOKS, ids=["en-light-wide", "zh-dark-phone"])
HAN = re.compile("[\u4e00-\u9fff]")
CODE = re.compile(r"[\w.]*[.\d_(]\S*|[A-Z]\w*[A-Z]\w*|[a-z]|[AB]")  # names from a program, in either language
# the controls that Tab shall reach, in this order; what can be told of the one that has the focus
WANTED = """(root) => [...document.querySelectorAll(root + ' :is(button, input, select, [tabindex="0"])')]
    .filter((e) => e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true }) && !e.matches('[type=radio]'))
    .map((e, i) => e.dataset.tab = String(i))"""
HERE = """() => {
    const at = document.activeElement, style = (e) => { const s = getComputedStyle(e);
        return [s.outlineStyle, s.outlineWidth, s.boxShadow, s.stroke, s.strokeWidth].join(); };
    const parts = [at, ...at.querySelectorAll(':scope > .mg-shape')], box = at.getBoundingClientRect();
    const lit = parts.map(style).join(';');
    at.blur();
    const seen = lit !== parts.map(style).join(';');
    at.focus({ preventScroll: true });
    const x = Math.max(0, box.x) + Math.min(box.width, innerWidth) / 2, y = box.y + box.height / 2;
    const above = [...document.elementsFromPoint(x, y)].some((e) => at === e || at.contains(e));
    return { tab: at.dataset.tab ?? '', seen, radio: at.type === 'radio', above: above || at.matches('.mg-moment *'),
        html: at.outerHTML.slice(0, 90) };
}"""
# what a program for the blind and one that is spoken to would find wrong
WRONG = """(root) => {
    const found = [], shown = (e) => e.checkVisibility(), clean = (text) => text.replace(/\\s+/g, ' ').trim();
    for (const e of document.querySelectorAll(root + ' :is(button, [role=button])')) {
        const name = e.getAttribute('aria-label') ?? e.textContent;
        const text = e.localName === 'g' ? e.textContent : e.innerText;
        if (shown(e) && /[\\p{L}\\p{N}]/u.test(text) && !clean(name).includes(clean(text)))
            found.push(`${text} is named ${name}`);
    }
    for (const e of document.querySelectorAll('[role=img] :is(button, [tabindex], [role=button])'))
        found.push(`in an image: ${e.outerHTML.slice(0, 80)}`);
    for (const e of document.querySelectorAll(root + ' *')) {
        const { overflowX, overflowY } = getComputedStyle(e);
        const scrolls = [[e.scrollWidth - e.clientWidth, overflowX], [e.scrollHeight - e.clientHeight, overflowY]]
            .some(([more, how]) => more > 1 && /auto|scroll/.test(how));
        if (scrolls && shown(e) && e.tabIndex < 0 && !e.querySelector('button, input, [tabindex="0"]'))
            found.push(`no key scrolls ${e.className}`);
    }
    for (const e of document.querySelectorAll('th')) if (!e.textContent.trim()) found.push('a heading without words');
    for (const e of document.querySelectorAll('td[scope]')) found.push('a scope of no heading');
    return found;
}"""


def saved(make):
    """A page of what can stand alone."""
    def put(page, look, tmp_path):
        file = torch.save_page(make(look[0]), tmp_path / "page.html")
        page.set_viewport_size({"width": look[2], "height": 844})
        page.emulate_media(color_scheme="dark" if look[1] else "light")
        page.goto(file.as_uri())
    return put


def network():
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    return (net(torch.ones(2, 2)) ** 2).mean()


def player(lang):
    return torch.step(network(), preview=True, lang=lang)


def driven(lang):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return torch.step((x * x + x).sum(), preview=True, drive=True, lang=lang)


def compared(lang):
    return torch.compare(driven(lang), driven(lang), lang=lang)


def explorer(lang):
    return torch.draw(network(), lang=lang).explore()


def moment(make):
    """A widget that asks, with Python behind it."""
    return lambda page, look, tmp_path: show(page, make(), look[1], look[2])


SHOWN = {
    "player": (saved(player), ".mg-player"), "drive": (saved(driven), ".mg-player"),
    "compare": (saved(compared), ".mg-comparison"), "explorer": (saved(explorer), ".mg-explorer"),
    "nudge": (moment(lambda: torch.nudge(loss_at)), ".mg-moment"), "paths": (moment(two_paths), ".mg-moment"),
    "versions": (moment(lambda: torch.versions(BILL)), ".mg-moment"), "watch": (moment(board), ".mg-moment"),
    "training": (moment(trained), ".mg-moment"),
}
ALL = pytest.mark.parametrize("name", SHOWN)


@pytest.fixture
def opened(page, tmp_path):
    def put(name, look):
        set_language(look[0])
        make, root = SHOWN[name]
        make(page, look, tmp_path)
        page.locator(root).wait_for()
        return page.locator(root), root

    yield put
    set_language("en")


@ALL
@BOTH
def test_tab_reaches_every_control_in_order_and_one_sees_where_it_is(opened, page, name, look):
    at, root = opened(name, look)
    page.evaluate("document.body.append(Object.assign(document.createElement('button'), { textContent: 'after' }))")
    at.focus()
    wanted, met = page.evaluate(WANTED, root), []
    for _ in range(len(wanted) + 12):
        page.keyboard.press("Tab")
        here = page.evaluate(HERE)
        if "after" in here["html"]:
            break
        assert here["seen"], here
        assert here["above"], here
        if not here["radio"]:  # one Tab stands for all of a group
            met.append(here["tab"])

    assert met == wanted
    assert "after" in page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("(root) => !!document.activeElement.closest(root)", root)


@ALL
@BOTH
def test_every_control_has_a_name_in_the_language_shown(opened, page, name, look):
    _, root = opened(name, look)
    assert page.evaluate(WRONG, root) == []

    tree = page.context.new_cdp_session(page)
    tree.send("Accessibility.enable")
    nodes = [n for n in tree.send("Accessibility.getFullAXTree")["nodes"] if not n["ignored"]]
    kinds = {"button", "slider", "combobox", "searchbox", "textbox", "radio", "checkbox", "toolbar", "group", "image"}
    names = [(n["role"]["value"], n["name"]["value"]) for n in nodes if n["role"]["value"] in kinds]
    assert names
    for role, said in names:
        words = CODE.sub("", said).strip(" .:·→+−*=[],()")
        assert said or role == "group", role  # a fieldset's legend may stand above several
        if look[0] == "en":
            assert not HAN.search(said), (role, said)
        elif re.search("[a-z]{3}", words):
            assert HAN.search(said), (role, said)


@BOTH
def test_keys_reach_all_that_the_explorer_tells_of_a_part(opened, page, look):
    at, root = opened("explorer", look)
    page.set_viewport_size({"width": look[2], "height": 620})
    at.focus()
    scrolled, lit, card = 0, 0, page.locator(".mg-card")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(WRONG, root) == []
        said = page.locator(".mg-origin.mg-linked").evaluate_all(
            "(lines) => lines.flatMap((line) => [line, line.firstChild]).map((e) => getComputedStyle(e).color)")
        lit += len(said)
        assert len({*said}) < 2  # muted, the number of a line that is lit could not be read
        if card.get_attribute("tabindex"):
            here = page.evaluate_handle("document.activeElement")
            card.focus()
            page.keyboard.press("ArrowDown")
            page.wait_for_timeout(200)
            scrolled += card.evaluate("(el) => el.scrollTop") > 0
            here.evaluate("(el) => el.focus()")

    assert scrolled
    assert lit


@pytest.mark.parametrize("name", ["player", "drive", "compare", "explorer"])
def test_a_language_renames_all_and_the_page_hears_no_key(opened, page, name):
    at, root = opened(name, ("en", False, 1100))
    page.evaluate("document.addEventListener('keydown', (e) => (window.leaked ??= []).push(e.key))")
    at.focus()
    for lang in ("zh", "both", "en"):
        page.keyboard.press("l")
        labels = page.evaluate("(root) => [...document.querySelectorAll(root + ' [data-en]')].map((e) => "
                               "[e.getAttribute('aria-label') ?? e.title, e.dataset.en, e.dataset.zh])", root)
        assert len(labels) > 3
        for said, en, zh in labels:
            assert said.endswith({"en": en, "zh": zh, "both": f"{en} / {zh}"}[lang]), said
        assert page.evaluate("(root) => document.querySelector(root).lang", root) == ("zh" if lang == "zh" else "en")
    for key in ("ArrowRight", "ArrowLeft", "Space", "Space", "Enter", "Home", "End", "x", "d", "d", "b", "+", "Escape"):
        page.keyboard.press(key)

    assert not page.evaluate("window.leaked")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_step_is_told_once(opened, page, motion):
    at, _ = opened("drive", ("en", False, 1100))
    page.emulate_media(reduced_motion=motion)
    at.focus()
    page.keyboard.press("d")
    page.keyboard.press("Home")
    page.evaluate("""() => { const say = document.querySelector('.mg-say'); window.told = [];
        new MutationObserver(() => window.told.push(say.innerText)).observe(say, { childList: true, subtree: true });
    }""")
    for key in ("ArrowRight", "ArrowRight", "t", "t", "ArrowRight", "+"):
        page.keyboard.press(key)
        page.wait_for_timeout(400)
    page.set_viewport_size({"width": 900, "height": 700})
    page.wait_for_timeout(200)

    told = page.evaluate("window.told")
    assert [text.split()[0] for text in told] == ["1", "2", "3"], told
