"""`quick/` only makes things faster: each part equals its original, and without the folder all is well."""

import _thread
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.beside import ledger
from minigrad.core.beside.saved import Packed
from minigrad.core.carriers import RAW, TENSORS
from minigrad.core.graph import seqs
from minigrad.core.record import call_of_tensors, call_of_two
from minigrad.core.row import TABLE, Row
from minigrad.func import jacrev
from minigrad.quick import calls
from minigrad.quick.derivatives import DERIVATIVES
from minigrad.quick.folded import CrossEntropy, Product
from tests import copies

PACKAGE = Path(mg.__file__).parent
MATRICES = {"mm", "addmm", "t", "transpose", "permute", "slice"}
TWO = {"add", "sub", "mul", "div", "mm", "maximum", "minimum"}
OPTIONS = {
    "mean_dim": lambda shape: ((0,), False),
    "sum_dim": lambda shape: ((0,), False),
    "pow_number": lambda shape: (2,),
    "transpose": lambda shape: (0, 1),
    "softmax": lambda shape: (-1,),
    "permute": lambda shape: ((1, 0),),
    "slice": lambda shape: (-1, 0, 1, 2),
    **dict.fromkeys(("unsqueeze", "squeeze_dim"), lambda shape: (-1,)),
    "expand": lambda shape: ((3, *shape),),
    **dict.fromkeys(("view", "reshape_alias", "unsafe_view"), lambda shape: ((-1,),)),
}


def at_speed(function, slow=False):
    """The function with `quick`, or as it is without; called from one and the same line."""
    def call(*args):
        with mg.slow(slow):
            return function(*args)

    return call


def quickly(function):
    return at_speed(function)


def ordinarily(function):
    return at_speed(function, slow=True)


def made(name: str, shape: tuple, kind: str):
    """A node of row `name`, and a gradient for it."""
    if name in MATRICES:
        shape = shape or (1, 1)
    x, y = (mg.randn(shape).to(getattr(mg, kind)).requires_grad_() for _ in range(2))
    other = (y, y) if name == "addmm" else (y,) if name in TWO else OPTIONS.get(name, lambda shape: ())(shape)
    out = TABLE[name].call(x, *other)
    out = out[0] if isinstance(out, tuple) else out
    return out.grad_fn, mg.randn(tuple(out.shape)).to(out.dtype)._array()


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 2), (40, 40), ()], ids=str)
@pytest.mark.parametrize("name", sorted(DERIVATIVES))
def test_a_quick_derivative_equals_the_formula_of_its_row(name, shape, kind):
    node, grad = made(name, shape, kind)

    quick, plain = DERIVATIVES[name](node, grad, True), node.apply(grad, RAW, True)

    for mine, theirs in zip(quick, plain, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("tracking", [mg.enable_grad, mg.no_grad])
def test_views_that_nobody_tracks_are_computed_with_once(tracking):
    ran = []
    one = Row("one", lambda self: ran.append("one") or self + 1, self=lambda grad: grad)
    two = Row("two", lambda self, other: ran.append("two") or self + other, self=lambda grad: grad,
              other=lambda grad: grad)
    view = mg.ones(4)[1:3]

    with tracking():
        results = (calls.one_tensor(one, call_of_tensors(one))(view),
                   *(calls.two_tensors(two, call_of_two(two))(view, other) for other in (view, 1.0)))

    assert ran == ["one", "two", "two"]
    assert [(t.tolist(), t.requires_grad) for t in results] == [([2.0, 2.0], False)] * 3


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "ge", "logical_and", "bitwise_or"])
def test_a_quick_comparison_answers_and_is_noted_as_the_ordinary_one(name):
    tracked, whole, truths = mg.tensor([1.0, 2.0, float("nan")], requires_grad=True), mg.tensor([2, 3]), mg.eye(2) > 0
    pairs = [(tracked, tracked * 2), (tracked, 2), (tracked[1:], 2.0), (tracked.half(), 2.0), (whole, 2), (whole, 2.5),
             (whole, truths), (truths, True), (truths, truths[0]), (tracked.sum(), 1), (whole, np.array([2, 9]))]

    def answers():
        ledger.places.clear()
        for pair in pairs:
            try:
                result = getattr(mg, name)(*pair)
                yield type(result), result.dtype, result.tolist()
            except Exception as refused:
                yield repr(refused)
        yield [(place.kind, place.count) for place in ledger.places.values()]

    assert quickly(list)(answers()) == ordinarily(list)(answers())


def test_a_quick_product_of_matrices_equals_its_row():
    a, b = mg.randn(3, 4, requires_grad=True), mg.randn(4, 2).requires_grad_()

    quick, slow = a @ b, ordinarily(mg.mm)(a, b)

    assert quick.equal(slow)
    assert quick.grad_fn.name() == slow.grad_fn.name() == "MmBackward0"
    assert quick.grad_fn._saved_mat2_sym_strides == slow.grad_fn._saved_mat2_sym_strides


@pytest.mark.parametrize("case", ["all", "data", "weight", "bias", "made", "column", "written", "types", "rows"])
def test_a_quick_linear_layer_equals_its_row(case):
    seen = []
    for call in (quickly(TENSORS.addmm), ordinarily(TENSORS.addmm)):
        mg.manual_seed(0)
        wants = {"data": (True, False, False), "weight": (False, True, False), "bias": (False, False, True)}
        out = 1 if case == "column" else 2
        shapes, needs = ((3, 4), (out, 4), (3, 1) if case == "rows" else (out,)), wants.get(case, (True,) * 3)
        x, w, b = (mg.randn(shape).requires_grad_(need) for shape, need in zip(shapes, needs, strict=True))
        made = x * 2 if case == "made" else x.double() if case == "types" else x
        try:
            y = call(b, made, w.t(), 1, 1)
            if case == "written":
                with mg.no_grad():
                    w += 1
            facts = behind(y.grad_fn), y.tolist(), y.stride()
            grads = mg.autograd.grad(y.pow(2).sum(), [t for t in (x, w, b) if t.requires_grad], create_graph=True)
            sum(g.pow(2).sum() for g in grads).backward()
            seen.append((*facts, [(t.grad is not None and t.grad.tolist()) for t in (x, w, b)], y.grad_fn.freed))
        except RuntimeError as refused:
            seen.append(str(refused))

    assert seen[0] == seen[1]


@pytest.mark.parametrize("kind", ["uint8", "int32", "bool", "int64"])
def test_a_quick_cross_entropy_answers_every_type_of_classes_as_the_ordinary_one(kind):
    scores, classes = mg.zeros(3, 4, requires_grad=True), mg.zeros(3, dtype=getattr(mg, kind))

    def answer(call):
        try:
            return call(scores, classes, None, 1, -100).item()
        except RuntimeError as refused:
            return str(refused)

    assert answer(TENSORS.cross_entropy) == answer(ordinarily(TENSORS.cross_entropy))


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("other", [0.0, -0.0])
def test_where_takes_bits_as_numpy_takes_elements(kind, other):
    x = np.resize(np.array([1.5, -2, np.nan, np.inf, -np.inf, -0.0, 0.0], kind), (40, 30))
    chosen = np.arange(x.size).reshape(x.shape) % 3 > 0

    found = RAW.where(chosen, x, other)

    assert found.dtype == x.dtype
    assert found.tobytes() == np.where(chosen, x, x.dtype.type(other)).tobytes()


def test_a_thread_that_begins_inside_the_package_hides_no_later_line():
    x = mg.ones(2, requires_grad=True)
    function = mg.nn.functional.relu
    _thread.start_new_thread(function, (x,))  # no frame of `threading` above it
    time.sleep(0.2)

    assert Path(function(x).grad_fn.line[0]).name == "test_quick.py"


@pytest.mark.parametrize("operation", [
    lambda x, y: (x.exp, ()), lambda x, y: (x.__mul__, (2,)), lambda x, y: (x.detach, ()), lambda x, y: (y.zero_, ())])
def test_a_thread_may_begin_with_an_operation(operation, monkeypatch):
    failed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: failed.append(told.exc_value))
    _thread.start_new_thread(*operation(mg.ones(2, requires_grad=True), mg.ones(2)))
    time.sleep(0.05)

    assert failed == []


def factors(kind: str) -> list:
    """Two leaves and what is multiplied: a layer, batches, heads of attention, transposed, constant."""
    mg.manual_seed(0)
    shapes = {"layer": ((4, 3, 5), (5, 2)), "heads": ((2, 4, 3, 5), (2, 4, 2, 5))}.get(kind, ((4, 3, 5), (4, 5, 2)))
    a, b = (mg.randn(shape, requires_grad=not (kind == "constant" and i == 0)) for i, shape in enumerate(shapes))
    return [a, b, a * 2 if kind == "made" else a, b.transpose(-1, -2) if kind == "heads" else b]


def behind(node) -> list:
    """The nodes from `node` on, with all that one can ask of them except for what was freed."""
    known, waiting, first = [], [node], node.seq
    while waiting:
        node = waiting.pop(0)
        saved = {n: getattr(node, n) for n in dir(node) if n.startswith("_saved_") and not node.freed}
        known.append((node.name(), node.row and node.seq - first, node.line and node.line[1], node.freed, {
            n: (v.tolist(), v.shape, v.is_leaf, v._is_view(), str(v.grad_fn)[:20]) if isinstance(v, mg.Tensor) else v
            for n, v in saved.items()}))
        waiting += [edge for edge, _ in node.next_functions if edge is not None]
    return known


@pytest.mark.parametrize("used", [False, True], ids=["new", "freed"])
@pytest.mark.parametrize("kind", ["layer", "batches", "heads", "constant", "made"])
def test_what_is_behind_a_product_is_what_the_ordinary_call_makes(kind, used):
    seen, gradients = [], []
    for times in map(at_speed, (mg.Tensor.__matmul__, mg.matmul, mg.matmul), (False, False, True)):
        *leaves, a, b = factors(kind)
        y = times(a, b)
        if used:
            y.pow(2).sum().backward()
        seen.append(behind(y.grad_fn))
        gradients.append([leaf.grad if leaf.grad is None else leaf.grad.tolist() for leaf in leaves])

    assert seen[0] == seen[1] == seen[2]
    assert gradients[0] == gradients[1] == gradients[2]


def test_a_backward_that_nobody_watches_goes_past_the_chain_and_all_others_through_it():
    *leaves, a, b = factors("batches")
    first, second, third = a @ b, a @ b, a @ b
    third.grad_fn.register_hook(lambda *_: None)

    first.sum().backward()
    mg.autograd.grad(second.sum(), leaves, create_graph=True)
    third.sum().backward()

    assert isinstance(first.grad_fn, Product)
    assert [y.grad_fn.chain is None for y in (first, second, third)] == [True, False, False]


def test_what_jacrevs_backward_computes_is_recorded_once_and_differentiated_as_ever(monkeypatch):
    monkeypatch.setattr(Packed, "used", False)  # hooks of saved tensors would run in there
    mg.manual_seed(0)
    weight, x, made = mg.randn(3, 2, requires_grad=True), mg.randn(3), []

    def slopes():
        start = next(seqs)
        jacobian = jacrev(lambda x: mg.tanh(x @ weight))(x)
        made.append(next(seqs) - start)
        second = jacrev(jacrev(lambda x: mg.tanh(x @ weight)))(x)
        inner = mg.func.grad(lambda w: (jacrev(lambda x: mg.tanh(x @ w))(x) ** 2).sum())(weight)
        return [jacobian, second, inner, *mg.autograd.grad((jacobian**2).sum() + (second**2).sum(), weight)]

    quick, slow = quickly(slopes)(), ordinarily(slopes)()

    assert made[0] < made[1]  # without the short walk for each example, too
    assert all(mg.allclose(a, b, atol=1e-6) for a, b in zip(quick, slow, strict=True))


def test_a_transform_does_not_look_behind_a_chain():
    weight = mg.randn(4, 3, requires_grad=True)

    result, _ = mg.func.vjp(lambda x: x @ weight, mg.randn(2, 3, 4))

    assert isinstance(result.grad_fn, Product)
    assert result.grad_fn.chain is None


def test_a_quotient_by_a_number_goes_back_as_its_formula_says_and_lets_go_of_the_number():
    x, gradients = mg.randn(3, requires_grad=True), []
    for slow in (False, True):
        with mg.slow(slow):
            y = (x / -3.0).sum()
            gradients += [*mg.autograd.grad(y, x, retain_graph=True), *mg.autograd.grad(y, x)]
            with pytest.raises(RuntimeError, match="second time"):
                y.backward()

    assert all(str(g.tolist()) == str(gradients[0].tolist()) for g in gradients)


def test_a_product_that_no_gradient_reaches_lets_its_leaves_go_on():
    *leaves, a, b = factors("batches")

    class Nothing(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    (Nothing.apply(a @ b).sum() + (b * 2).sum()).backward()

    assert leaves[0].grad is None
    assert leaves[1].grad.eq(2).all()


def test_a_factor_written_after_the_product_is_refused_as_ever():
    messages = []
    for times in (quickly(mg.matmul), ordinarily(mg.matmul)):
        *_, a, b = factors("made")
        y = times(a, b)
        a.add_(1)
        with pytest.raises(RuntimeError) as refused:
            y.sum().backward()
        messages.append((str(refused.value), *refused.value.__notes__))

    assert messages[0] == messages[1]


def test_shapes_that_do_not_fit_are_refused_before_a_view_that_may_not_be_read():
    messages = []
    for times in (quickly(mg.matmul), ordinarily(mg.matmul)):
        whole = mg.ones(2, requires_grad=True) * 1
        part, _ = whole.unbind()
        whole.add_(1)
        with pytest.raises(RuntimeError) as refused:
            times(part, part)
        messages.append(str(refused.value))

    assert messages[0] == messages[1] == "both arguments to matmul need to be at least 1D, but they are 0D and 0D"


@pytest.mark.parametrize("used", [False, True], ids=["new", "freed"])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
@pytest.mark.parametrize("factor", [1, -2, 0])
@pytest.mark.parametrize("reduction", [1, 2])
def test_a_folded_cross_entropy_is_what_its_two_operations_make(reduction, factor, kind, used):
    seen, gradients = [], []
    for entropy in (quickly(TENSORS.cross_entropy), ordinarily(TENSORS.cross_entropy)):
        scores = (100 * mg.eye(5, 3)).to(getattr(mg, kind)).requires_grad_()  # some probabilities are 0
        value = entropy(scores * 1, mg.tensor([0, 2, 1, 1, 0]), None, reduction, -100)
        assert isinstance(value.grad_fn, CrossEntropy) == (not seen)
        if used:
            (value * factor).backward()
        seen.append([value.item(), *behind(value.grad_fn)])
        gradients.append(str(scores.grad))  # signs of zeros too

    assert seen[0] == seen[1]
    assert gradients[0] == gradients[1]


@pytest.mark.parametrize("look", ["hook", "create_graph", "watch"])
def test_a_look_behind_a_cross_entropy_finds_the_same_gradient(look):
    scores, classes = mg.randn(5, 3, requires_grad=True), mg.tensor([0, 2, 1, 1, 0])
    value = mg.nn.functional.cross_entropy(scores, classes)
    plain = mg.autograd.grad(value, scores, retain_graph=True)[0]
    assert value.grad_fn.chain is None

    if look == "hook":
        value.grad_fn.register_hook(lambda *_: None)
    elif look == "watch":
        assert value.grad_fn._saved_self.grad_fn.name() == "LogSoftmaxBackward0"
    seen = mg.autograd.grad(value, scores, create_graph=look == "create_graph")[0]

    assert value.grad_fn.chain is not None
    assert seen.allclose(plain, atol=1e-7)


def test_a_folded_cross_entropy_refuses_what_its_operations_refuse():
    messages = []
    for entropy in (quickly(TENSORS.cross_entropy), ordinarily(TENSORS.cross_entropy)):
        scores, classes = mg.randn(5, 3, requires_grad=True), mg.tensor([0, 2, 1, 1, 0])
        for wrong in ([0, 2, 1, 1, 3], [0, 2, 1, 1, -1]):
            with pytest.raises(IndexError, match="out of bounds"):
                entropy(scores, mg.tensor(wrong), None, 1, -100)
        written, used = (entropy(scores, classes, None, 1, -100) for _ in range(2))
        used.backward()
        classes.add_(0)
        for value in (written, used):
            with pytest.raises(RuntimeError) as refused:
                value.backward()
            messages.append((str(refused.value), *refused.value.__notes__))
        with pytest.raises(RuntimeError, match="second time"):
            used.grad_fn._saved_self.sum()

    assert messages[:2] == messages[2:]


def test_a_cross_entropy_leaves_what_is_not_plain_to_its_operations():
    scores = mg.randn(5, 3, requires_grad=True)
    for classes, *given in (([0, -100, 1, 1, 0], None, 1, -100), ([0, 2, 1, 1, 0], mg.rand(3), 1, -100),
                            ([0, 2, 1, 1, 0], None, 0, -100), ([0, 2, 1, 1, 0], None, 1, 2)):
        given = (mg.tensor(classes), *given)
        value = TENSORS.cross_entropy(scores, *given)
        assert not isinstance(value.grad_fn, CrossEntropy)
        assert value.equal(ordinarily(TENSORS.cross_entropy)(scores, *given))


def test_slow_leaves_out_all_that_is_quick_wherever_a_name_was_imported():
    """What a debugger walks through then is the core alone, from the operation to the end of backward."""
    from minigrad import exp  # bound before anything is switched

    x, w = mg.randn(3, 4, requires_grad=True), mg.randn(4, 2, requires_grad=True)

    def entered() -> set[tuple[str, str]]:
        seen, x.grad, w.grad = set(), None, None

        def trace(frame, event, arg):
            file = Path(frame.f_code.co_filename)
            if PACKAGE in file.parents:
                seen.add((file.relative_to(PACKAGE).as_posix(), frame.f_code.co_name))

        sys.settrace(trace)
        try:
            mg.nn.functional.cross_entropy(exp(x * 2) @ w + w.sum(0), mg.tensor([0, 1, 0])).backward()
        finally:
            sys.settrace(None)
        return seen

    entered()  # what is made when it is first needed is there from here on
    quick = entered()
    with mg.slow():
        slow = entered()
    again = entered()

    assert ("quick/walk.py", "walk") in quick
    assert ("core/engine.py", "steps") not in quick
    assert {name for file, name in slow if file.startswith("quick/")} <= {*TABLE, "matmul", "cross_entropy", "call",
                                                                          "<lambda>"}  # each hands on at once
    assert {("core/engine.py", "steps"), ("core/engine.py", "apply"), ("core/leaves.py", "accumulate")} <= slow
    assert again == quick


# minutes of endless loops that are waited for; the right answers to the same exercises are judged
WAITING = [f"--deselect=tests/test_checkers.py::test_a_{name}" for name in (
    "wrong_answer_is_told_which_idea_is_behind_it", "verdict_is_word_for_word_the_same_when_asked_again")]
# what a picture looks like, an equation or a cause says follows from the graph and the learner's text, whoever ran it;
# graphs and recorded runs are compared with their goldens; under which name a program imports us is no matter
LOOKS = [f"--ignore=tests/test_{name}.py" for name in (
    "quick networks invented drawn code_boxes folds moments equations causes why doctor broken magics explorer "
    "alias").split()]


@pytest.mark.long
def test_without_the_folder_everything_still_holds(tmp_path):
    environment = copies.copy_to(tmp_path)
    shutil.rmtree(tmp_path / "minigrad" / "quick")

    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *copies.WHAT_IT_DOES,
         *LOOKS, *WAITING],
        cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")

    assert result.returncode == 0, result.stdout[-2000:]


SEVERAL = {
    "split": lambda x: sum(part * (i + 1) for i, part in enumerate(x.split(2))).sum(),
    "one of several": lambda x: x.unbind()[1] * 2, "to the leaf": lambda x: x.view(2, 3).unbind()[0].sum(),
    "twice": lambda x: (lambda a, b, c: (a * b + a * c).sum())(*x.chunk(3)),
    "normed": lambda x: mg.nn.functional.layer_norm(x.view(2, 3), (3,), x[:3], x[3:]).tanh().sum(),
    "lstm": lambda x: mg.nn.LSTMCell(3, 2).double()(x.view(2, 3))[1].prod(),
    "stacked": lambda x: mg.stack(x.view(3, 2).unbind(1)[::-1]).prod(),
}


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_nodes_of_several_outputs_are_walked_as_the_engine_walks_them(name, create):
    x = mg.tensor([1.0, -2.0, 3.0, 0.5, 1.5, -1.0], dtype=mg.float64, requires_grad=True)
    found = []
    for way in (False, True):
        mg.manual_seed(0)
        with mg.slow(way):
            g, = mg.autograd.grad(SEVERAL[name](x), x, create_graph=create)
            found.append([g.tolist(), mg.autograd.grad(g.sum(), x)[0].tolist() if g.requires_grad else None])

    assert found[0] == found[1]


def test_a_leaf_behind_a_node_of_several_outputs_owns_its_gradient():
    x = mg.ones(2, 2, requires_grad=True)
    a, b = x.unbind()
    a.retain_grad()
    (a + b).sum().backward()
    x.grad.mul_(5)

    assert a.grad.tolist() == [1.0, 1.0]
    y = mg.ones(3, requires_grad=True)
    once, = y.split(3)
    (once * 1).sum().backward()
    y.grad.zero_()
    assert y.grad.tolist() == [0.0] * 3


INSIDE = {  # what stands between the leaf and the end -> what gradients are asked for
    "in the middle": lambda x, h, y: (y, [h]), "one of two leaves": lambda x, h, y: ((y * LEAF).sum(), [x]),
    "an element": lambda x, h, y: (h.tanh().unbind()[2], [h]), "an output": lambda x, h, y: (y, [h.unbind()[1]]),
    "one behind the other": lambda x, h, y: (y, [x, h]), "itself": lambda x, h, y: (y, [y]),
    "part of it": lambda x, h, y: ((p := h.split(2))[0].sum() * p[1].prod() * y, [p[1]]),
    "a batch": lambda x, h, y: ((h.view(1, 2, 3) @ (h * LEAF).view(1, 3, 2)).sum() * y, [h, LEAF]),
}
LEAF = mg.tensor(0.5, dtype=mg.float64, requires_grad=True)


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("name", INSIDE)
def test_gradients_of_what_lies_inside_a_graph_are_walked_as_the_engine_walks_them(name, create):
    x = mg.tensor([1.0, -2.0, 3.0, 0.5, 1.5, -1.0], dtype=mg.float64, requires_grad=True)
    found = []
    for way in (False, True):
        h = x * LEAF + x.sin()
        out, inputs = INSIDE[name](x, h, (h * h).sum().exp() * 1e-3)
        with mg.slow(way):
            grads = mg.autograd.grad(out, inputs, create_graph=create, allow_unused=True)
        graph = [[name for name, *_ in behind(g.grad_fn)] for g in grads if g is not None and g.grad_fn]
        found.append([graph, [None if g is None else g.tolist() for g in grads]])

    assert found[0] == found[1]


def test_the_engine_is_not_needed_for_gradients_inside_a_graph(monkeypatch):
    monkeypatch.setattr("minigrad.core.backward.steps", None)
    h = mg.tensor([1.0, 2.0], requires_grad=True) * 3

    assert mg.autograd.grad((h * h)[0], h)[0].tolist() == [6.0, 0.0]
    assert mg.func.vmap(mg.func.grad(lambda v: v.sin() * 2))(mg.zeros(3)).tolist() == [2.0] * 3


@pytest.mark.parametrize("product", [lambda x, w: x @ w, lambda x, w: x * w, mg.logaddexp, mg.hypot])
def test_a_gradient_that_nobody_asked_for_is_not_computed(product):
    x, w = (mg.randn(3, 3).requires_grad_() for _ in range(2))
    recorded = []
    for inputs in ([x, w], [x], [w]):
        out = product(x, w).sum()
        first = next(seqs)
        mg.autograd.grad(out, inputs, create_graph=True)
        recorded.append(next(seqs) - first)

    both, alone, other = recorded
    assert both > max(alone, other)
