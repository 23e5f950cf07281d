"""The widgets that ask first: what they compute, what they store, and that nothing is shown before an answer."""

from __future__ import annotations

import math
import re
import sys

import pytest

import minigrad as torch
from minigrad.lessons import check
from minigrad.text import say, set_language
from minigrad.viz.asking import Axes
from minigrad.viz.glyphs import FORBIDDEN
from minigrad.viz.routes import marks_of


@pytest.fixture(autouse=True)
def english_again():
    yield
    set_language("en")


def loss_at(w):
    return (w * 1.5 - 1.5) ** 2


def send(widget, do="answer", at=None, **values):
    """What the kernel answers to a button: the scene, or the sentence that refuses."""
    sent = []
    widget.send = sent.append
    listed = {name: value if isinstance(value, list) else [value] for name, value in values.items()}
    widget._asked(widget, {"do": do, "at": at, "values": listed}, None)
    return sent[0]


def words(part):
    """Every text in a scene."""
    if isinstance(part, str):
        return part
    found = part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ()
    return " ".join(map(words, found))


def static_forms(widget):
    """What hosts without widgets get, as texts; a picture too, where it can be made."""
    bundle = widget._repr_mimebundle_()[0]
    assert len(bundle.get("image/png", b"-" * 2000)) > 1000
    picture = re.sub(r"<style>.*?</style>|<[^>]*>", " ", bundle["image/svg+xml"], flags=re.S)
    return picture + bundle["text/plain"]


class Cube(torch.autograd.Function):
    """x ** 3, with a rule that forgets the 3."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x**2


# ---- nudge


@pytest.mark.parametrize(("w", "dx", "true", "foretold"), [
    (2.0, 0.1, 0.4725, 0.45), (2.0, 0.01, 0.045225, 0.045), (2.0, -0.1, -0.4275, -0.45), (0.5, 0.1, -0.2025, -0.225)])
def test_nudge_measures_and_foretells(w, dx, true, foretold):
    widget = torch.nudge(loss_at, w, dx)

    scene = send(widget, at=dx, w="40", guess=str(foretold))["scene"]

    (found,) = widget.rounds
    assert (found["w"], found["dx"], found["guess"]) == (w, dx, foretold)
    assert found["true"] == pytest.approx(true, abs=1e-9)
    assert found["foretold"] == pytest.approx(foretold, abs=1e-9)
    assert f"{true:.6g}".replace("-", "−") in words(scene)
    assert widget.answers[0][1:] == (foretold, True)
    assert "was: −9. " in send(widget, at=dx, w="40", guess="-9.0")["scene"]["said"]


@pytest.mark.parametrize("wrong", ["4.5", "2.25", "−0.45", "0.225", "2.7"])
def test_wrong_guesses_are_told_and_check_takes_them(wrong):
    widget = torch.nudge(loss_at)

    said = send(widget, at=0.1, w="40", guess=wrong)["scene"]["said"]
    assert said.startswith(f"✗ Not right. Your answer was: {wrong}.")  # the field is empty again
    assert not check("03", widget).passed
    for typed in ("0,46", "０。４６"):  # as other keyboards have it
        send(widget, at=0.1, w="40", guess=typed)
        assert check("03", widget).passed


def test_nudge_agrees_with_torch_on_any_function():
    real = pytest.importorskip("torch")
    for name in ("sin", "exp", "sigmoid", "tanh", "sqrt", "log"):
        ours = torch.nudge(lambda w, name=name: getattr(torch, name)(w) * 3, 1.5, 0.2)
        theirs = torch.nudge(lambda w, name=name: getattr(real, name)(w) * 3, dx=0.2, x=real.tensor(1.5))
        for widget in (ours, theirs):
            send(widget, at=0.2, w="40", guess="0")

        assert ours.rounds[0] == pytest.approx(theirs.rounds[0])


def test_nudge_takes_a_tensor_that_is_not_laid_out_in_order():
    x = torch.arange(6.0).view(2, 3).T
    one, other = (torch.nudge(lambda x: (x ** 2).sum(), x=way) for way in (x, x.contiguous()))

    assert words(one.scene) == words(other.scene) != ""


def test_training_takes_a_round_that_closes_over_a_name_without_a_value_yet():
    def round():
        loss = (w * 2 - (later if w.grad is not None else 6)) ** 2
        loss.backward()
        return loss

    w = torch.tensor(1.0, requires_grad=True)
    assert len(torch.training(round, w, rounds=1).rows) == 1
    later = 0.0


def test_a_widget_has_a_text_where_nothing_makes_pixels(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)

    bundle, _ = torch.nudge(loss_at)._repr_mimebundle_()

    assert "dx = 0.1" in bundle["text/plain"]
    assert "image/png" not in bundle


def test_training_does_not_ask_about_a_round_that_fails():
    def round(twice=False):
        (w * torch.ones(3)).backward()

    w = torch.tensor(1.0, requires_grad=True)
    widget = torch.training(round, w, rounds=2)

    assert "grad can be implicitly created only for scalar outputs" in words(widget.scene)
    assert "'options'" not in str(widget.scene)


def test_halving_asks_again_and_stores_nothing():
    widget = torch.nudge(loss_at)

    scene = send(widget, "halve", 0.1, w="40", guess="")["scene"]

    assert scene["at"] == 0.05
    assert "dx = 0.05" in words(scene)
    assert widget.answers == []


@pytest.mark.parametrize("guess", ["", "about half", "0.4.5", "nan", "inf"])
def test_nothing_is_shown_without_a_number(guess):
    widget = torch.nudge(loss_at)

    assert "number" in send(widget, at=0.1, w="40", guess=guess)["refused"]
    assert widget.answers == []


def test_where_f_is_not_defined_the_curve_has_a_gap():
    widget = torch.nudge(lambda w: 1 / w, 0.5)
    spots = widget.scene["parts"][0]["of"][1][1]["spots"]

    assert send(widget, at=0.1, w="40", guess="-0.4")["scene"]["said"] == "✓ Right."
    assert all(s is None or all(abs(v) < 1e4 for v in s) for s in spots)
    assert torch.nudge(lambda w: 1 / (w - 0.501), 0.5).axes.y1 < 100  # a pole does not flatten all the rest


@pytest.mark.parametrize(("f", "falls"), [(lambda w: w * 2, False), (lambda w: (w - 1) ** 2, True)])
def test_nobody_is_sent_where_a_curve_falls_if_it_does_not_and_nothing_is_drawn_beyond_it(f, falls):
    widget, there = torch.nudge(f), torch.nudge(f)
    told = [words(send(widget, at=0.1, w="40", guess="0.4")["scene"]) for _ in range(2)]
    again = [words(send(there, at=0.1, w="10", guess="0.4")["scene"]) for _ in range(2)]

    assert ("where f falls" in told[1]) == falls
    assert "where f falls" not in again[1]  # it does at w = 0.5: that place was found
    assert "where f falls" not in told[0]
    assert "<circle" in widget.tangent(widget.ws[-3], 3.8, 2.0, 0.1)
    assert "<circle" not in widget.tangent(widget.ws[-1], 4.0, 2.0, 0.1)


@pytest.mark.parametrize(("ys", "drawn"), [
    ((2, 4, 50, 60, 70), "M0,8L10,6L11.3,0"),  # and not on along the border, as if nothing grew any more
    ((-5, 5, 15), "M5,10L10,5L15,0"), ((50, -50, 5), "M19.1,10L20,5"), ((2, float("nan"), 5, 6), "M20,5L30,4"),
    ((5, float("inf")), ""), ((5, 0, 5), "M0,5L10,10L20,5")])
def test_a_line_ends_where_it_leaves_its_frame(ys, drawn):
    line = Axes((1, 5), (0, 10), (0, 0, 40, 10)).line([*enumerate(ys, 1)], "mg-curve")

    assert re.findall('d="(.*?)"', line) == [drawn] * bool(drawn)


@pytest.mark.parametrize(("call", "says"), [
    (lambda: torch.nudge(loss_at, dx=0), "other than 0"),
    (lambda: torch.nudge(lambda w: 3.0), "returns a tensor of one number"),
    (lambda: torch.nudge(lambda w: w.detach() * 2), "no record leads"),
    (lambda: torch.nudge(lambda x: x * 2, x=torch.ones(9)), "1 to 8 entries"),
    (lambda: torch.nudge(lambda x: x.detach(), x=torch.ones(2)), "no record leads"),
    (lambda: torch.nudge(loss_at, dx=float("nan")), "finite number"),
    (lambda: torch.nudge(torch.log, w=-5.0), "no finite number"),
    (lambda: torch.nudge(lambda x: x * 2, x=torch.tensor([1.0, float("nan")])), "no finite number"),
    (lambda: torch.nudge(lambda x: x.sum(), x=torch.zeros(0)), "1 to 8 entries")])
def test_what_nudge_cannot_measure_is_said_at_once(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(("call", "error", "says"), [
    (lambda: torch.nudge(torch.ones(())), TypeError, "takes a function of one tensor.*got Tensor"),
    (lambda: torch.versions(lambda: torch.ones(2)), TypeError, "wanted as text.*got function"),
    (lambda: torch.detective(3, "w"), TypeError, "wanted as text.*got int"),
    (lambda: torch.versions("import nowhere"), ValueError, r"no tensor.*\(ModuleNotFoundError"),
    (lambda: torch.detective("x = y", "x"), ValueError, r"no tensor called 'x'.*\(NameError")])
def test_what_no_program_or_function_is_is_told_with_its_error(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_a_guess_between_a_small_and_a_huge_number_must_be_near_one_of_them():
    widget = torch.nudge(lambda w: torch.exp(w * 100), w=3.0)
    for guess in ("1", "1e140"):
        assert send(widget, at=0.1, w="40", guess=guess)["scene"]["said"] != "✓ Right."
    assert "no finite number" in send(torch.nudge(torch.log, w=0.5), at=0.1, w="0", guess="1")["refused"]


def test_a_nudge_leaves_a_module_and_the_random_stream_as_they_were(capsys):
    layer, dropped = torch.nn.Linear(1, 1), torch.nn.Dropout(0.5)
    before = torch.get_rng_state()

    def f(w):
        print("here I am")
        if w.item() > 3:
            raise OSError("too far")
        return dropped(layer(w.float().reshape(1, 1)) * torch.ones(9)).sum()

    widget = torch.nudge(f)

    send(widget, at=0.1, w="40", guess="0.1")
    assert widget.rounds[0]["true"] == pytest.approx(widget.rounds[0]["foretold"], abs=1e-4)  # one mask for both
    assert layer.weight.grad is None
    assert torch.equal(torch.get_rng_state(), before)
    assert capsys.readouterr().out == ""


def test_an_error_in_f_is_shown_and_the_widget_goes_on():
    broken = []

    def f(w):
        if broken:
            raise KeyError("gone")
        return w * 2

    widget = torch.nudge(f)
    broken.append(1)
    assert "KeyError" in send(widget, at=0.1, w="40", guess="1")["refused"]
    broken.clear()
    assert "scene" in send(widget, at=0.1, w="40", guess="0.2")


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_a_tensor_knob_has_its_jacobian_measured_beside_grad(library):
    lib = pytest.importorskip(library)
    x = lib.tensor([1.0, 2.0, -3.0])
    right, summed = torch.nudge(lambda x: x**3, x=x), torch.nudge(lambda x: x.cumsum(0), x=x)

    for i, row in enumerate(right.jacobian):
        assert row == pytest.approx([(3.0, 12.0, 27.0)[i] if i == k else 0.0 for k in range(3)], abs=1e-6)
    assert right.grad == pytest.approx([3, 12, 27])
    assert summed.jacobian[2] == pytest.approx([1, 1, 1])
    assert summed.grad == pytest.approx([3, 2, 1])
    assert x.tolist() == [1, 2, -3]
    scene = send(right, cell=["0,0", "1,1", "2,2"])["scene"]
    assert "27" in words(scene)
    assert "≠" not in words(scene)
    assert right.answers[0][2]


def test_a_wrong_rule_differs_from_what_was_measured():
    widget = torch.nudge(Cube.apply, x=torch.tensor([1.0, 2.0, -3.0]))

    assert widget.jacobian[1] == pytest.approx([0, 12, 0], abs=1e-6)
    assert widget.grad == [1, 4, 9]
    assert "mark" in send(widget)["refused"]
    scene = send(widget, cell=["0,1", "1,1"])["scene"]
    assert "4 ≠" in words(scene)
    assert "Your answer was: y[0], x[1]; y[1], x[1]. " in scene["said"]
    assert not widget.answers[0][2]


def test_a_corner_and_a_large_entry_accuse_no_rule():
    bent = words(send(torch.nudge(torch.relu, x=torch.tensor([1.0, -2.0, 0.0])), cell=["0,0"])["scene"])
    widget, flat = (torch.nudge(lambda x: x**3, x=torch.tensor(at)) for at in ([1e10, 2.0], [0.0, 0.0]))
    large = words(send(widget, cell=["0,0", "1,1"])["scene"])

    assert "0 ∠" in bent
    assert "3e20 =" in large
    assert "12 =" in large
    assert widget.answers[0][2]
    assert "≠" not in bent + large + words(send(flat, cell=["0,0"])["scene"])  # though a difference is not quite 0
    assert not flat.answers[0][2]
    falling = send(torch.nudge(lambda x: -x, x=torch.ones(2)), cell=["0,0"])["scene"]["parts"][1]["rows"]
    assert [[cell["heat"] for cell in row[1:]] for row in falling[:2]] == [[1, 0], [0, 1]]


def gives_away(widget, *secrets):
    """Which of these numbers or words stand in the static forms by themselves."""
    forms = static_forms(widget)
    return [secret for secret in secrets if re.search(rf"(?<![\w.]){re.escape(secret)}(?![\w.])", forms)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_static_forms_of_nudge_ask_and_give_nothing_away(language):
    set_language(language)
    curve, heat = torch.nudge(loss_at), torch.nudge(lambda x: x * x, x=torch.tensor([2.0, 3.0]))

    for widget, question, secrets in ((curve, "dx = 0.1", ("4.5", "0.45", "0.4725")), (heat, "x[1] = 3", ("4", "6"))):
        for _ in range(2):  # before an answer, and after it
            assert question in static_forms(widget)
            assert ("？" in static_forms(widget)) == (language == "zh")
            assert not gives_away(widget, *secrets)
            assert 'class="mg-tangent"' not in widget._repr_mimebundle_()[0]["image/svg+xml"]
            assert "scene" in send(widget, at=0.1, w="40", guess="0.45", cell="0,0")
    assert words(curve.scene) == words(torch.nudge(loss_at).scene)


# ---- training

LOOP = """
km, fare = torch.tensor([0.5, 1.5, 2.5]), torch.tensor([1.0, 1.5, 2.0])
w, b = (torch.tensor(0.0, requires_grad=True) for _ in range(2))
kept = total = None

def round(clear=True, downhill=True, keep_leaf=True, fresh=True, small=True, grows=False):
    global w, b, kept, total
    loss = kept if kept is not None and not fresh else ((w * km + b - fare) ** 2).mean()
    kept, total = loss, loss if total is None else total + loss
    loss.backward(retain_graph=not fresh)
    lr = (0.1 if small else 0.3) * (1 if downhill else -1)
    with torch.no_grad():
        if keep_leaf:
            w -= lr * w.grad
        else:
            w = w - lr * w.grad
        b -= lr * b.grad
    if clear:
        w.grad = b.grad = None
    return total if grows else loss
"""


def loop(library):
    scope = {"torch": library}
    exec(LOOP, scope)
    return scope


def losses(scope, **switches):
    from minigrad.graph.trial import rounds_of

    rows = rounds_of(scope["round"], {"w": scope["w"], "b": scope["b"]}, 20, switches)
    return rows, [row["loss"] for row in rows if "loss" in row]


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_rounds_leave_what_the_course_says_and_the_parameters_as_they_were(library):
    from minigrad.viz.monitor import what_it_does

    scope = loop(pytest.importorskip(library))
    right, first = losses(scope)

    assert first[:3] == pytest.approx([2.4167, 0.1808, 0.0366], abs=1e-4)
    assert [row["nodes"] for row in right] == [7] * 20
    assert right[0]["w.grad"] == pytest.approx(-5.1667, abs=1e-4)
    for switches, way, start in (
            ({"clear": False}, "swings", [2.4167, 0.1808, 1.1410, 2.9531]),
            ({"downhill": False}, "rises", [2.4167, 7.3197, 22.2908]),
            ({"small": False}, "rises", [2.4167, 3.7106, 5.7146]),
            ({"fresh": False}, "creeps", [2.4167, 2.4167]),
            ({"keep_leaf": False}, "stops", [2.4167]), ({}, "same", first[:4])):
        rows, seen = losses(scope, **switches)
        assert seen[:len(start)] == pytest.approx(start, abs=1e-4)
        assert what_it_does(right, rows) == way
    nodes = [row["nodes"] for row in losses(scope, grows=True)[0]]
    assert nodes == sorted(nodes)
    assert nodes[1] > nodes[0] == 7
    assert (scope["w"].item(), scope["w"].grad, scope["kept"], scope["total"]) == (0, None, None, None)


@pytest.mark.parametrize(("seen", "way"), [
    ([4, 2, 1], "same"), ([4, 3, 2.5], "creeps"), ([4, 4, 4], "creeps"), ([4, 1, 0.1], "faster"), ([4, 5, 6], "rises"),
    ([4, 6, 3, 7], "swings"), ([4, 1, 0.1, 3], "swings"),
    ([4, 1, 0.1, 5], "swings"), ([4, 9, "inf"], "rises"), ([4, "inf", "nan"], "rises"), ([4, 8, "nan"], "rises"),
    (["nan", "nan"], "breaks"), ([4, 3, "nan"], "breaks"), ([4, "nan"], "breaks"), ([4, -9, "-inf"], "breaks"),
    ([4, 3, 1], "creeps"), ([4, 1, 1], "faster"), ([4, 4, 4.000001], "creeps")])
def test_what_a_loss_does_is_called_by_its_name(seen, way):
    from minigrad.viz.monitor import what_it_does

    right = [{"loss": value} for value in (4, 2, 1, 0.5)[:len(seen)]]
    assert what_it_does(right, [{"loss": float(value)} for value in seen]) == way


def test_a_loop_that_cannot_be_compared_is_refused_and_a_blown_up_one_has_two_names():
    w = torch.tensor(2.0, requires_grad=True)

    def round(small=True, tells=True):
        loss = (w - 1) ** 2
        loss.backward()
        w.data -= (0.1 if small else 1e20) * w.grad
        w.grad = None
        return loss if tells else None

    widget = torch.training(round, w, rounds=6)
    for way in "05":
        assert send(widget, switch="0", way=way)["scene"]["said"] == "✓ Right."
    assert "returns no loss" in send(widget, switch="1", way="0")["refused"]
    turns = iter(range(9))
    for call, says in ((lambda: torch.training(round, w, rounds=0), "at least one round"),
                       (lambda: torch.training(lambda on=True: round() + next(turns), w, rounds=3), "another loss"),
                       (lambda: torch.training(round, [w]), "such as"),
                       (lambda: torch.training(lambda on=True: round(tells=False), w), "returns no loss")):
        with pytest.raises(ValueError, match=says):
            call()


def test_a_run_of_one_round_is_a_dot():
    w = torch.tensor(2.0, requires_grad=True)
    one, two = (torch.training(lambda: (w * w).backward(), w, rounds=n).scene["parts"][0]["svg"] for n in (1, 2))

    assert (one.count("<circle"), two.count("<circle")) == (2, 0)  # of w and its gradient; no loss is returned


def test_a_scale_is_that_of_the_right_run_and_the_last_values_stand_from_the_top_down():
    from minigrad.viz.monitor import Training, scale

    a, b = (torch.tensor(value, requires_grad=True) for value in (1.0, 3.0))

    def round():
        loss = (a - b) ** 2
        loss.backward()
        a.grad = b.grad = None
        return loss

    drawn = str(torch.training(round, a, b, rounds=2).scene["parts"][0])

    assert re.findall(r">([ab] [−\d]+)<", drawn)[:2] == ["b 3", "a 1"]
    low = {f"a_long_name_{i}": torch.tensor(1.0 + i * 1e-4, requires_grad=True) for i in range(5)}
    long = Training(lambda: sum(low.values()).backward(), low, 3, None).scene["parts"][0]["svg"]
    ends = [(float(y), said) for y, said in re.findall(r'<text x="263" y="(\S+?)"[^>]*>([^<]+)', long)]
    assert [said.rpartition(" ")[2] for _, said in ends[:4]] == ["1", "1", "1", "1"]
    assert all(y <= 165 for y, _ in ends[:4])  # beside their frame, not in that below
    assert scale([-100.0, 0.5, 100.0], [0.0, 1.0]) == (-3.0, 4.0)


def test_training_draws_a_run_that_overflows_and_says_where_a_number_is_a_norm():
    x, w, b = torch.ones(4, 2), torch.zeros(2, 1, requires_grad=True), torch.zeros(1, requires_grad=True)

    def round():
        loss = ((x @ w + b - 1) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p.sub_(1e30 * p.grad)
                p.grad = None
        return loss

    widget = torch.training(round, w, b, rounds=6)
    assert math.isinf(widget.rows[1]["loss"])
    assert math.isnan(widget.rows[-1]["w"])
    drawn = widget.scene["parts"][0]["svg"]
    assert ">‖w‖, b</text>" in drawn
    assert ">‖w.grad‖, b.grad</text>" in drawn
    assert "nan" not in drawn
    assert "inf" not in drawn


def test_training_takes_no_norm_for_a_loss():
    w = torch.ones(3, requires_grad=True)

    def round():
        losses = w ** 2
        losses.sum().backward()
        return losses

    assert [row["loss"] for row in torch.training(round, w, rounds=2).rows] == [None, None]



def test_a_lost_leaf_is_seen_in_is_leaf():
    def round(w, kept=True):
        loss = (w - 3) ** 2
        loss.backward()
        return loss, (w if kept else (w * 1.0))

    widget = torch.training(round, torch.tensor(1.0, requires_grad=True), rounds=4)
    send(widget, switch="0", way="6")
    lost = send(widget, switch="0", way="6")["scene"]

    assert [row["p0.is_leaf"] for row in widget.rows] == [True] * 4
    assert "False from round 1" in words(lost)


def test_parameters_are_found_in_globals_cells_and_arguments():
    w = torch.tensor(2.0, requires_grad=True)

    def in_a_cell():
        loss = loss_at(w)
        loss.backward()
        with torch.no_grad():
            w.sub_(0.1 * w.grad)
        w.grad = None
        return loss, 0.75  # an accuracy is no parameter

    widget = torch.training(in_a_cell, w, rounds=4)

    assert [row["loss"] for row in widget.rows] == pytest.approx([2.25, 0.6806, 0.2059, 0.0623], abs=1e-4)
    assert [row["w"] for row in widget.rows[:3]] == pytest.approx([1.55, 1.3025, 1.1664], abs=1e-4)
    assert (w.item(), w.grad) == (2, None)
    assert "is_leaf" in words(widget.scene)  # without a switch nothing is asked: all is shown
    with pytest.raises(ValueError, match="in no round a gradient reaches w"):
        torch.training(lambda: torch.ones(1), w)
    with pytest.raises(ValueError, match="needs the tensors"):
        torch.training(in_a_cell)


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_a_loop_with_modules_and_an_optimizer_is_monitored_and_put_back(library):
    lib = pytest.importorskip(library)
    x, y = lib.tensor([[0.5], [1.5], [2.5]]), lib.tensor([[1.0], [1.5], [2.0]])
    line = lib.nn.Linear(1, 1)
    with lib.no_grad():
        line.weight.fill_(0)
        line.bias.fill_(0)
    optimizer = lib.optim.SGD(line.parameters(), lr=0.1, momentum=0.5)

    def turn(clear=True):
        if clear:
            optimizer.zero_grad()
        loss = lib.nn.functional.mse_loss(line(x), y)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(2):
        widget = torch.training(turn, *line.parameters(), rounds=5)
        assert [row["loss"] for row in widget.rows[:2]] == pytest.approx([2.4167, 0.1808], abs=1e-4)
        assert [p.item() for p in line.parameters()] == [0, 0]
        assert [p.grad for p in line.parameters()] == [None, None]
    assert not any(state.get("momentum_buffer") is not None for state in optimizer.state.values())
    w = lib.tensor(2.0, requires_grad=True)  # held by an optimizer, and named
    descent = lib.optim.SGD([w], lr=0.1)

    def one():
        descent.zero_grad()
        loss = loss_at(w)
        loss.backward()
        descent.step()
        return loss

    assert [r["loss"] for r in torch.training(one, w, rounds=3).rows] == pytest.approx([2.25, 0.6806, 0.2059], abs=1e-4)
    assert w.item() == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_switch_is_asked_for_before_its_strip(language):
    set_language(language)
    scope = loop(torch)
    widget = torch.training(scope["round"], scope["w"], scope["b"])

    for values in ({}, {"switch": ["0", "1"], "way": "3"}, {"switch": "0"}):
        assert "…" in send(widget, **values)["refused"]
    assert widget.answers == []
    assert not gives_away(widget, "0.1808", "0.09512", "7", "mg-curve")
    scene = send(widget, switch="0", way="3")["scene"]
    send(widget, switch="1", way="3")

    assert "clear=False" in words(scene)
    assert [right for *_, right in widget.answers] == [True, False]
    assert not gives_away(widget, "0.1808", "0.09512", "7")
    assert check("03", widget.answers[:1]).passed


# ---- paths


def two_receipts(library=torch):
    w = library.tensor(2.0, requires_grad=True)
    e1 = w * 1.5 - 1.5
    e2 = w * 2.5 - 2.0
    return e1**2 + e2**2, w


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("show", [torch.paths, torch.draw])
def test_tensors_of_two_libraries_are_told_apart(show, language):
    (ours, w), (theirs, v) = two_receipts(), two_receipts(pytest.importorskip("torch"))

    for root, leaf in ((ours, v), (theirs, w)):
        set_language(language)
        with pytest.raises(TypeError, match="同一个库" if language == "zh" else "with one library"):
            show(root, leaf)


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_the_paths_that_count_bring_the_gradient(library):
    loss, w = two_receipts(pytest.importorskip(library))
    widget = torch.paths(loss, w, choose=True)

    assert widget.products == [4.5, 15]
    ticked = [str(i) for i in widget.counting]
    assert ticked == ["0", "3"]
    assert len(widget.ways) == 6
    for given, total in ((ticked, "4.5"), (["0"], "19.5"), ([*ticked, "1"], "19.5"), (ticked, "19.5")):
        scene = send(widget, way=given, total=total)["scene"]
    assert [right for *_, right in widget.answers] == [False, False, False, True]
    assert "1 · 3 · 1 · 1.5 = 4.5" in words(scene)
    assert "; so far 19.5" in words(scene)
    assert "4.5 + 15 = 19.5" in words(scene)
    loss.backward()
    assert w.grad.item() == sum(widget.products)


def test_no_total_without_ticks_and_no_widget_for_a_forest():
    loss, w = two_receipts()
    widget = torch.paths(loss, w, choose=True)

    assert "tick" in send(widget, total="19.5")["refused"]
    assert "number" in send(widget, way=["0"], total="")["refused"]
    assert widget.answers == []
    for _ in range(4):
        w = w + w
    tall = torch.tensor(1.0, requires_grad=True)
    deep = tall
    for _ in range(40):
        deep = deep + deep
    with pytest.raises(ValueError, match="1099511627776 paths are too many"):
        torch.paths(deep, tall, choose=True)
    with pytest.raises(ValueError, match="is inf or NaN"):
        torch.paths(tall * float("nan"), tall, choose=True)
    loss.backward()
    with pytest.raises(ValueError, match="Run the forward lines again"):
        torch.paths(loss, two_receipts_leaf(loss), choose=True)


def two_receipts_leaf(loss):
    node = loss.grad_fn
    while node.next_functions:
        node = node.next_functions[0][0]
    return node.variable


def test_a_leaf_of_many_entries_is_asked_for_their_sum():
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    widget = torch.paths((x * y + x).sum(), x, choose=True)

    assert "the sum of all entries" in repr(widget)
    send(widget, way=[str(i) for i in widget.counting], total="9")
    assert widget.answers[0][2]


def test_a_result_in_the_middle_ends_a_path_too():
    w = torch.tensor(2.0, requires_grad=True)
    middle = w * 3
    widget = torch.paths(middle * middle, middle, choose=True)

    assert "to middle:" in str(torch.paths(middle * middle, middle))
    scene = send(widget, way=["0", "1"], total="12")["scene"]
    assert widget.answers[0][2]
    assert "`middle.grad` gets 6 + 6 = 12" in words(scene)
    assert {mark for mark in marks_of(widget.ways) if ":" in mark} == {"n1:0", "n1:1"}
    with pytest.raises(ValueError, match="nothing leads"):
        torch.paths(w * 2, middle)


@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_a_path_ends_at_one_result_of_several(library):
    x = pytest.importorskip(library).tensor([3.0, float("inf")], requires_grad=True)
    a, b = (x * 2).unbind()
    total = a * 5 + b

    assert [float(v) for v in torch.paths(total, a).values] == [5]  # though the sum is infinite
    assert torch.paths(total, b, choose=True).products == [1]
    with pytest.raises(ValueError, match="nothing leads"):
        torch.paths(a, b)


def test_hooks_on_the_way_are_told_of():
    """What is added to `.grad` is then not the sum over the paths."""
    w = torch.tensor(2.0, requires_grad=True)
    square = w**2
    total = square * 3 + w
    assert "Hooks" not in str(torch.paths(total, w))
    square.register_hook(lambda grad: grad * 10)

    assert "Hooks on the way are left out" in str(torch.paths(total, w))
    with pytest.raises(ValueError, match="hook on the way"):
        torch.paths(total, w, choose=True)


def test_of_the_ways_that_lead_elsewhere_eight_are_listed():
    xs = [torch.tensor(1.0, requires_grad=True) for _ in range(12)]
    widget = torch.paths(sum(xs) * 1, xs[0], choose=True)

    assert (len(widget.ways), len(widget.counting)) == (1 + 8, 1)


def test_the_call_that_is_asked_for_can_be_made():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w * 3
    total = y.sum()

    assert "`y.sum().backward()` adds" in str(torch.paths(y, w, choose=True).opening())
    assert "`total.backward()` adds" in str(torch.paths(total, w, choose=True).opening())
    unnamed = torch.paths(y + w, w, choose=True)
    assert "`(…).sum().backward()` adds" in str(unnamed.opening())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_static_forms_of_paths_have_no_factors(language):
    set_language(language)
    loss, w = two_receipts()
    widget = torch.paths(loss, w, choose=True)

    assert "SubBackward0 (e1)" not in static_forms(widget)  # a name of another function
    assert not gives_away(widget, "4.5", "15", "19.5", "2.5", "other = 2.50", "exponent = 2")
    send(widget, way=["0", "3"], total="19.5")
    assert not gives_away(widget, "4.5", "15", "19.5", "2.5")
    assert [right for *_, right in widget.answers] == [True]


# ---- versions

BILL = """
w = torch.tensor([1.0, 2.0], requires_grad=True)
rate = w * 3
rate += 1
total = rate * rate
rate *= 2
total += rate
result = total.sum()
""".strip()


def made(library=torch, **names):
    """A namespace that a program runs in."""
    return {"torch": library, **names}


def followed(program, library=torch, **names):
    from minigrad.graph.followed import Followed

    return Followed(program, made(library, **names))


def stale(program):
    """The first stale note of a program, and the line that wrote."""
    from minigrad.graph.followed import pinned

    pin = pinned(followed(program))[2]
    return pin and (pin.tensor, pin.line, pin.version, pin.now, pin.by)


def test_versions_are_those_of_torch_and_the_pin_is_found():
    real = pytest.importorskip("torch")
    widget = torch.versions(BILL)
    scope = made(real)
    for k, line in enumerate(BILL.split("\n")):
        exec(line, scope)
        theirs = {n: t._version for n, t in scope.items() if isinstance(t, real.Tensor)}
        assert widget.counters[k] == theirs

    assert stale(BILL) == ("rate", 4, 1, 2, 5)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        scope["result"].backward()


@pytest.mark.parametrize(("lines", "found"), [
    ("h = w * 3\ny = h * h\nh.mul_(2)", ("h", 3, 0, 1, 4)),
    ("h = w * 3\ny = h + 1\nh.mul_(2)", None),
    ("h = w * 3\ny = h.exp()\nh.mul_(2)", None),
    ("h = w * 3\ny = h.exp()\ny.add_(1)", ("y", 3, 0, 1, 4)),
    ("h = w * 3\nv = h[0]\ny = h * h\nv.mul_(2)", ("h", 4, 0, 1, 5)),
    ("h = w * 3\nfor i in range(3):\n    y = h * h\n    h += 1", ("h", 4, 2, 3, 5)),
    ("h = w * 3\nk = h * h\ny = k * k\nk += 1\nh += 1", ("k", 4, 0, 1, 5)),
    ("h = w * 3\ny = h * h\ny.sum().backward()\nh.mul_(2)", None)])
def test_a_note_is_stale_where_torch_would_refuse(lines, found):
    program = "w = torch.tensor([1.0, 2.0], requires_grad=True)\n" + lines
    real = pytest.importorskip("torch")
    scope = made(real)
    exec(program, scope)
    refused = False
    try:
        scope["y"].sum().backward()
    except RuntimeError as error:
        refused = "inplace" in str(error)

    assert stale(program) == found
    assert refused == (found is not None)


@pytest.mark.parametrize(("lines", "found"), [
    ("y = h * h\nz = h * h\nh.mul_(2)\n(y.sum() * 2).backward()", ("h", 3, 0, 1, 5)),
    ("y = h * h\nz = h * h\nh.mul_(2)\nloss = y.sum()\nloss.backward()", ("h", 3, 0, 1, 5)),
    ("y = h * h\nh.mul_(2)\nloss = h.sum()\nloss.backward()", None)])
def test_the_stale_note_is_one_that_backward_comes_to(lines, found):
    program = f"w = torch.tensor([1.0, 2.0], requires_grad=True)\nh = w * 3\n{lines}"
    widget = torch.versions(program)

    assert stale(program) == found
    assert (widget.stale is None) == ("inplace" not in widget.program.error)
    assert ("none behind the result" in words(send(widget, pin="0", line="9")["scene"])) == (found is None)


@pytest.mark.parametrize("program", [BILL, BILL + "\nif True:\n    last = result * 2", "w = w * 1\nw += 1\ny = w * w"])
def test_a_second_run_sees_nothing_of_the_first(program):
    from minigrad.graph.followed import Followed, pinned

    scope = {"torch": torch, "w": torch.ones(2, requires_grad=True)}
    first, second = (pinned(Followed(program, scope))[0] for _ in range(2))

    assert first == second


def test_the_arrow_stands_at_the_line_that_wrote_not_at_the_head_of_its_loop():
    widget = torch.versions("h = torch.ones(2)\nk = torch.ones(2)\nfor i in range(2):\n    h.add_(1)\nk = h")

    assert [line for line in widget.ran if "↑" in widget.cell("h", widget.ran.index(line))["text"]] == [4]
    assert widget.cell("k", 4)["text"] == "v2"  # another tensor; nobody wrote into it


def test_versions_takes_pin_and_line_together():
    widget = torch.versions(BILL)

    assert "mark the note" in send(widget, line="4")["refused"]
    assert "mark a line" in send(widget, pin="rate,4")["refused"]
    for pin, line in (("rate,2", "4"), ("rate,4", "2"), ("0", "7"), ("rate,4", "4")):
        scene = send(widget, pin=pin, line=line)["scene"]
    assert [right for *_, right in widget.answers] == [False, False, False, True]
    assert [given for _, given, _ in widget.answers][1:3] == ["rate, 4; 3: rate += 1", "no note is stale; no line"]
    assert "v1  pin v1, stale" in words(scene)
    assert "writes into `rate`" in words(scene)
    assert check("03", widget).passed


def test_a_program_without_a_stale_note_says_so_and_an_error_is_shown():
    fine = torch.versions("x = torch.ones(2, requires_grad=True)\ny = x * x")
    failing = torch.versions(BILL + "\nresult.backward()")
    with pytest.raises(ValueError, match="no tensor of minigrad"):
        torch.versions("x = 1")
    with pytest.raises(SyntaxError):
        torch.versions("x = = 1")

    send(fine, pin="0", line="2")
    assert fine.answers[0][2]
    assert "inplace" not in static_forms(failing)
    assert "NameError" in static_forms(torch.versions(BILL + "\nrat.sum()"))  # nothing that is asked
    assert "inplace operation" in words(send(failing, pin="rate,4", line="4")["scene"])
    assert failing.answers[0][2]


# ---- detective

ROADS = {
    "item": ("pred = w * 1.5\nerror = torch.tensor(pred.item() - 1.5, requires_grad=True)\nloss = error ** 2", {3}),
    "data": ("pred = (w.data * 1.5).requires_grad_()\nloss = (pred - 1.5) ** 2", {2}),
    "no_grad": ("with torch.no_grad():\n    pred = w * 1.5\npred.requires_grad_()\nloss = (pred - 1.5) ** 2", {2, 3}),
    "result": ("w = w * 1\nloss = (w * 1.5 - 1.5) ** 2", {2}),
    "step": ("w = w - 0.5\nloss = (w * 1.5 - 1.5) ** 2", {2}),
    "type": ("w = w.to(torch.float64)\nloss = (w * 1.5 - 1.5) ** 2", {2}),
    "clone": ("v = w.detach().clone().requires_grad_()\nloss = (v * 1.5 - 1.5) ** 2", {2}),
    "switch": ("w.requires_grad_(False)\nk = torch.tensor(1.5, requires_grad=True)\nloss = (w * 1.5 - k) ** 2", {2}),
    "function": ("def f(km):\n    return (w * km).detach().requires_grad_()\npred = f(1.5)\nloss = pred ** 2", {3, 4}),
    "list": ("parts = []\nfor km in (1.5, 2.5):\n    pred = w * km\n    parts.append(pred.item())\n"
             "loss = torch.tensor(sum(parts), requires_grad=True)", {5}),
    "fine": ("n = w.item()\nloss = (w * 1.5 - n) ** 2", set()),
    "kept": ("parts = []\nfor km in (1.5, 2.5):\n    pred = w * km\n    parts.append(pred)\nloss = sum(parts)", set()),
    "pair": ("a, c = w * 2, w.detach() * 3\nloss = c * torch.ones((), requires_grad=True)", {2}),
    "dict": ("d = {}\nd['p'] = w.data * 2\nd['q'] = d['p'] * torch.ones((), requires_grad=True)\nloss = d['q']", {3}),
    "object": ("class Fare:\n    def __init__(self, w):\n        self.w = w.detach().requires_grad_()\n"
               "fare = Fare(w)\nloss = fare.w * 1.5", {4, 5}),
    "replaced": ("pred = w * 3\npred = torch.ones((), requires_grad=True)\nloss = pred * 2", {3}),
    "renamed": ("loss = w ** 2\nw = w.detach()", {3}),
    "held": ("d = {}\nd['p'] = w * 2\nloss = d['p'] ** 2", set()),
    "hooked": ("pred = w * 1.5\npred.register_hook(lambda g: g * 2)\nloss = (pred - 1.5) ** 2", set()),
}


@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_the_line_that_cuts_is_found(road, library):
    from minigrad.graph.followed import cut

    lines, wanted = ROADS[road]
    if library == "torch":  # inside a function that a line calls, the ledger knows of minigrad's cuts alone
        wanted = wanted - {"function": {3}, "object": {4}}.get(road, set())
    lines = f"w = torch.tensor(2.0, requires_grad=True)\n{lines}\nloss.backward()"
    program = followed(lines, pytest.importorskip(library))
    found = cut(program, "w").lines

    assert program.error == ""
    assert found == wanted
    w = program.scope["w"]
    assert (w.is_leaf and w.grad is not None) == (not wanted)


@pytest.mark.parametrize("road", ROADS)
def test_the_line_is_found_where_nobody_calls_backward(road):
    from minigrad.graph.followed import cut

    lines, wanted = ROADS[road]
    for end in ("", '\nprint("done")'):
        assert cut(followed(f"w = torch.tensor(2.0, requires_grad=True)\n{lines}{end}", torch), "w")[0] == wanted


@pytest.mark.parametrize(("lines", "end"), [
    (ROADS["item"][0], "found"), (ROADS["replaced"][0], "replaced"), (ROADS["renamed"][0], "lost"),
    (ROADS["held"][0], "fine"), ("loss = torch.ones((), requires_grad=True) * 2", "apart"),
])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_how_the_thread_ends_is_said(lines, end, lang):
    widget = torch.detective(f"w = torch.tensor(2.0, requires_grad=True)\n{lines}\nloss.backward()", "w", lang)
    line = max(widget.cuts, default=len(widget.program.lines) + 1)
    parts = str(widget.reply("answer", None, {"line": [str(line - 1)]})["parts"])

    assert widget.end == end
    assert say(f"moments.detective_{end}", lang=lang, leaf="w", line=line) in parts


PROGRAM = f"w = torch.tensor(2.0, requires_grad=True)\n{ROADS['item'][0]}\nloss.backward()"


def test_the_thread_is_shown_only_when_the_line_is_found():
    widget = torch.detective(PROGRAM, "w")

    assert "First mark" in send(widget)["refused"]
    assert "Not there" in send(widget, line="1")["refused"]
    assert "why" not in send(widget, line="5")["refused"]
    scene = send(widget, line="2")["scene"]
    assert "on the thread: `pred`, `w`" in words(scene)
    assert "cut here" in words(scene)
    assert "The thread ends at line 3" in words(scene)
    assert "pred.backward()" not in words(scene)  # true of `pred`, and no help here
    assert [right for *_, right in widget.answers] == [False, False, True]
    assert check("03", widget).passed
    assert "does not require grad" in static_forms(torch.detective("w = torch.ones(1)\nw.sum().backward()", "w"))
    with pytest.raises(ValueError, match="no tensor called 'q'"):
        torch.detective(PROGRAM, "q")


@pytest.mark.parametrize(("road", "says"), [
    ("data", "`.data` cut the graph in line 2"), ("step", "no leaf wanting a gradient"),
    ("clone", "`detach()` cut the graph in line 2"), ("fine", "arrives")])
def test_the_reveal_says_how_the_line_cuts(road, says):
    lines, cuts = ROADS[road]
    program = f"w = torch.tensor(2.0, requires_grad=True)\n{lines}\nloss.backward()"
    widget = torch.detective(program, "w")

    scene = send(widget, line=str(max(cuts, default=len(program.split("\n")) + 1) - 1))["scene"]
    assert says in words(scene)
    assert "Fix" not in words(scene)


def test_a_program_that_cuts_nothing_has_no_line_and_names_around_it_stay():
    w = torch.tensor(3.0, requires_grad=True)
    widget = torch.detective("pred = w * 2\npred.backward()\nw = None or w", "w")

    send(widget, line="3")
    assert widget.answers[0][2]
    assert w.item() == 3
    assert "pred" not in locals()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_static_forms_of_programs_show_lines_alone(language):
    set_language(language)
    bill, road = torch.versions(BILL), torch.detective(PROGRAM, "w")

    for widget, values, secrets in ((bill, {"pin": "rate,4", "line": "4"}, ("v1", "v2", "pin", "图钉")),
                                    (road, {"line": "2"}, ("None", "pred, w", "cut here", "在这里切断"))):
        for _ in range(2):
            assert "w = torch.tensor" in static_forms(widget)
            assert not gives_away(widget, *secrets)
            assert "scene" in send(widget, **values)


# ---- in a notebook


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(history_manager=None)
    made.run_cell("import minigrad as torch\n%load_ext minigrad")
    yield made
    InteractiveShell.clear_instance()


def test_the_commands_run_the_cell_in_the_notebooks_own_names(shell):
    bill = shell.run_cell(f"%%versions\n{BILL}").result
    road = shell.run_cell(f"%%detective w\n{PROGRAM}").result

    assert shell.user_ns["result"].item() == 87
    assert bill.stale.by == 5
    assert road.cuts == {3}
    assert shell.user_ns["w"].grad is None
    assert not shell.run_cell("%%detective\nx = 1").success
    assert not shell.run_cell("%%detective x +\nx = 1").success
    dotted = shell.run_cell("%%detective net[0].weight\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))\n"
                            "h = net(torch.ones(3, 2)).data\nloss = h.sum()").result
    assert dotted.cuts == {2}


RECEIPT = """
w = torch.tensor(2.0, requires_grad=True)
km, fare = torch.tensor(1.5), torch.tensor(1.5)
pred = w * km
error = pred - fare
loss = error ** 2
""".strip()
WROTE = ["", "", "MulBackward0", "SubBackward0", "PowBackward0"]
NONES = [[], [], [1], [1], []]


def step_through(board, pills=None, nones=NONES):
    """Answer all lines; the scenes that came."""
    scenes = []
    for i in range(len(board.steps)):
        wanted = (pills or WROTE)[i]
        pill = board.pills(i).index(wanted)
        scenes.append(send(board, at=i, pill=str(pill), slot=[str(n) for n in nones[i]])["scene"])
    return scenes


def test_each_line_is_asked_for_its_node_and_its_nones(shell):
    board = shell.run_cell(f"%%watch --predict\n{RECEIPT}").result

    assert board.steps == [1, 2, 3, 4, 5]
    assert "choose a node" in send(board, at=0)["refused"]
    assert all(len(set(board.pills(i))) == 3 for i in range(5))
    scenes = step_through(board)
    assert [right for *_, right in board.answers] == [True] * 5
    assert [len(scene["parts"][0]["of"][0][0]["options"]) for scene in scenes] == [5] * 5
    assert "PowBackward0" in words(scenes[-1])
    assert "Line 4 wrote `SubBackward0`. Slots that are None: 1." in words(scenes[3])
    assert check("03", board).passed
    step_through(board, nones=[[0]] * 5)
    assert [right for *_, right in board.answers[5:]] == [False] * 5
    assert shell.user_ns["loss"].item() == 2.25  # the cell has run


@pytest.mark.parametrize(("flag", "asked"), [
    ("", ["buttons"]), (" --predict", ["text", "options", "options", "buttons"])])
def test_a_board_asks_only_where_it_is_to_predict(flag, asked, shell):
    board = shell.run_cell(f"%%watch{flag}\n{RECEIPT}").result

    assert [part["kind"] for part in board.scene["parts"][1:]] == asked


def test_the_board_shows_what_torch_records():
    from minigrad.graph.followed import written

    real = pytest.importorskip("torch")
    program = followed(RECEIPT)
    graph, made, _ = written(program)
    theirs_all = {"torch": real}
    exec(RECEIPT, theirs_all)
    for line, name in ((3, "pred"), (4, "error"), (5, "loss")):
        node = graph.node(made[line][-1])
        theirs = theirs_all[name].grad_fn
        assert node.name == theirs.name()
        assert [e.node is None for e in node.edges] == [n is None for n, _ in theirs.next_functions]


def test_backward_writes_nodes_and_loops_and_functions_belong_to_their_lines(shell):
    shell.run_cell("def f(a):\n    return a * a + 1")
    board = shell.run_cell("%%watch\nx = torch.tensor(2.0, requires_grad=True)\ny = x * x\n"
                           "(slope,) = torch.autograd.grad(y, x, create_graph=True)\n"
                           "for i in range(2):\n    slope = slope * 2\nz = f(slope)").result

    assert [board.wrote(line) for line in (1, 2, 3, 5, 6)] == [
        [], ["MulBackward0"], ["MulBackward0", "MulBackward0", "AddBackward0"], ["MulBackward0"] * 2,
        ["MulBackward0", "AddBackward0"]]
    scenes = [send(board, at=i)["scene"] for i in range(len(board.steps))]
    assert "Line 3 wrote 3 nodes" in words(scenes[2])
    assert board.answers == []


def test_what_nobody_holds_any_more_was_written_too(shell, capsys):
    board = shell.run_cell("%%watch\nx = torch.tensor(2.0, requires_grad=True)\nprint((x * 3).item())\n"
                           "y = x * 2\ny = 5\nz = x + 1\ndel z\nfor i in range(3): t = x - i").result

    assert [board.wrote(line) for line in board.steps] == [
        [], ["MulBackward0"], ["MulBackward0"], [], ["AddBackward0"], [], ["SubBackward0"] * 3]
    for i in range(len(board.steps)):
        scene = send(board, at=i)["scene"]
    assert "`SubBackward0` ×3" in words(scene)
    assert not shell.run_cell("%%watch --perdict\nx = 7").success
    assert shell.user_ns["x"].item() == 2  # the cell has not run


def test_a_panel_that_predicts_asks_about_each_cell(shell, capsys):
    shell.run_cell("def f(a):\n    return a * a + 1")
    shell.run_cell("x = torch.tensor(2.0, requires_grad=True)\np = torch.watch(predict=True)")
    panel = shell.user_ns["p"]
    shell.run_cell("y = x * 3\n\nz = f(y)")
    board = panel.board
    assert [board.wrote(line) for line in board.steps] == [["MulBackward0"], ["MulBackward0", "AddBackward0"]]
    for nothing in ("1 + 1", "k = 5", "raise ValueError", "%%watch\nq = x * 2"):
        shell.run_cell(nothing)
        assert panel.board is board
    shell.run_cell("y = x * 3\ny = 5\nz = x + 1")  # a node that nobody holds any more has a line, too
    assert panel.board is board
    shell.run_cell("first = [f(x)]\nsecond = x - 1")  # whose line a node is must be certain
    assert panel.board is board
    shell.run_cell("layer = torch.nn.Linear(1, 1)\nout = torch.nn.Sequential(layer, torch.nn.ReLU())(x.reshape(1, 1))")
    assert panel.board is not board
    board = panel.board
    assert board.wrote(2)[-1] == "ReluBackward0"
    panel.close()
    shell.run_cell("t = x * 7")
    assert panel.board is board


@pytest.mark.parametrize("program", [
    "v = x[0]\nv.mul_(2)\ny = v * x.sum()", "v = x.view(2, 2)\nx.add_(1)\ny = v.sum()",
    "v = x.view(2, 2).t()\nd = v[0]\nx += 1\nd.mul_(3)\ny = (v * d).sum()", "a, b = x.chunk(2)\nx.mul_(2)\ny = x.sum()",
    "c = x[1:]\nc += 1\nc *= 3\ny = x.sum() + c.sum()"])
def test_a_line_wrote_the_node_that_a_later_write_replaces(program):
    """As PyTorch says after the line itself; the cards have the names that the lines gave."""
    from minigrad.graph.followed import Followed, written

    program = f"x = torch.ones(4, requires_grad=True) * 1\n{program}"
    graph, made, error = written(Followed(program, {"torch": torch}))
    names = {"torch": pytest.importorskip("torch")}

    assert error is None
    for line, text in enumerate(program.splitlines(), 1):
        exec(text, names)
        for name in re.match(r"[\w, ]+", text)[0].strip().split(", "):
            wrote = {graph.node(id).name for id in made[line]}
            assert names[name].grad_fn.name() in wrote, (text, wrote)
            assert name == "x" or name in {t.name for t in graph.tensors if t.node in made[line]}


def test_an_error_in_a_watched_cell_is_the_cells_error(shell, capsys):
    assert isinstance(shell.run_cell("%%watch\nx = torch.ones(2)\nx.nothing").error_in_exec, AttributeError)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_static_forms_of_a_board_are_code_and_an_empty_board(language, shell):
    set_language(language)
    board = shell.run_cell(f"%%watch --predict\n{RECEIPT}").result

    for _ in range(2):
        assert "error ** 2" in static_forms(board)
        assert not gives_away(board, "pred = w · km", "other = km", "3 MulBackward0", "(None, 0)")
        assert words(board.scene).count("mg-op") == 0
        step_through(board)


def test_a_line_that_cuts_in_a_function_counts_beside_its_call_and_no_program_answers_for_another():
    before = torch.detective("w = torch.tensor(2.0, requires_grad=True)\na = w * 3\nb = a.detach() * 2\n"
                             "c = b * torch.tensor(1.0, requires_grad=True)\nc.backward()", "w")
    data = torch.detective("w = torch.tensor(2.0, requires_grad=True)\na = w * 3\nb = a.data + 2\n"
                           "c = b * torch.tensor(1.0, requires_grad=True)\nc.backward()", "w")
    inside = torch.detective("w = torch.tensor(2.0, requires_grad=True)\ndef guess(k):\n    h = w * k\n"
                             "    return h.detach() * 2\nloss = (guess(1.5) - 1.5) ** 2", "w")

    assert "`detach()`" in before.reason
    assert "`.data`" in data.reason
    assert inside.cuts == {4, 5}


def test_a_board_as_text_has_nothing_that_turns_a_line_about():
    board = torch.versions("w = torch.ones(2, requires_grad=True)  # \u202e\x01\ny = w * 2\ny.add_(1)\n")

    assert not FORBIDDEN.search(str(board) + repr(board) + board.still().to_svg())
