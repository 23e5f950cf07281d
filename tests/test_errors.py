"""What confuses people most raises PyTorch's first line, and a note that helps, in both languages.

Each confusion is a function of a torch-like module; the recorded first line is torch's own. The
note must name the words of the remedy, and the learner's own lines where a node is to blame.
"""

import functools
import importlib
import importlib.util
import linecache
import operator
import re
import traceback
import warnings

import numpy as np
import pytest

import minigrad

CHINESE = re.compile(r"[\u4e00-\u9fff]")
LIVE = ["torch"] if importlib.util.find_spec("torch") else []
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{beginning}")
    for beginning in (
        "Error detected in DivBackward0",
        "Converting a tensor with requires_grad=True to a scalar",
    )
]


def a_saved_result_is_changed(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


def a_saved_input_is_changed(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    z = y * y
    y[0] = 5
    z.sum().backward()


def a_parameter_is_updated_too_early(torch):
    w = torch.ones(2, requires_grad=True)
    loss = (w * w).sum()
    with torch.no_grad():
        w -= 0.5
    loss.backward()


def a_detached_tensor_shares_its_memory(torch):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    y.sum().backward()


def one_half_is_multiplied_by_the_other(torch):
    x = torch.ones(4, requires_grad=True)
    y = x.clone()
    y[:2].mul_(y[2:])
    y.sum().backward()


def backward_runs_twice(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    y.backward()


def two_losses_share_a_part(torch):
    x = torch.ones(2, requires_grad=True)
    h = x * x
    h.sum().backward()
    (h * 3).sum().backward()


def a_leaf_is_written_to(torch):
    w = torch.ones(2, requires_grad=True)
    w -= 0.5


def a_part_of_a_leaf_is_written_to(torch):
    w = torch.ones(2, requires_grad=True)
    w[0] = 5


def a_vector_has_no_implicit_gradient(torch):
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward()


def the_gradient_has_another_shape(torch):
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(3))


def a_tensor_of_tensors_has_no_graph(torch):
    x = torch.ones(2, requires_grad=True)
    torch.tensor([x[0], x[1]]).sum().backward()


def no_grad_records_nothing(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = (x * 2).sum()
    y.backward()


def a_gradient_has_no_graph(torch):
    x = torch.ones(2, requires_grad=True)
    (g,) = torch.autograd.grad((x * x).sum(), x)
    g.sum().backward()


def a_constant_cannot_retain(torch):
    torch.ones(2).retain_grad()


def a_result_keeps_its_flag(torch):
    w = torch.ones(2, requires_grad=True)
    w = w - 0.5
    w.requires_grad_(False)


def a_result_is_given_its_flag(torch):
    w = torch.ones(2, requires_grad=True)
    half = w / 2
    half.requires_grad = True


def an_input_is_not_in_the_graph(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.autograd.grad((x * 2).sum(), w)


def an_input_is_a_constant(torch):
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    torch.autograd.grad((x * c).sum(), c)


def a_hook_changes_the_shape(torch):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad.sum())
    (x * 2).sum().backward()


def a_hook_without_a_name_changes_the_shape(torch):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(functools.partial(torch.sum))
    (x * 2).sum().backward()


def nan_hides_behind_where(torch):
    x = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = torch.where(x > 0, x / x, x)
        y.sum().backward()


def an_inference_tensor_meets_autograd(torch):
    with torch.inference_mode():
        c = torch.ones(2)
    torch.ones(2, requires_grad=True) * c


def a_function_returns_too_few_gradients(torch):
    class Times(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            return x * w

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(2, requires_grad=True)
    Times.apply(x, x).sum().backward()


def a_function_saves_a_number(torch):
    class Times(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x, k)
            return x * k

    Times.apply(torch.ones(2, requires_grad=True), 3)


def a_gradient_is_assigned_in_another_shape(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.ones(3)


def numpy_cannot_carry_a_graph(torch):
    torch.ones(2, requires_grad=True).numpy()


def one_of_several_views_is_written_to(torch):
    x = torch.ones(4, requires_grad=True)
    a, _ = (x * 1).split(2)
    a.add_(1)


def an_expanded_tensor_is_written_to(torch):
    torch.zeros(1, 2).expand(3, 2).add_(1)


def integers_have_no_gradient(torch):
    torch.tensor([1, 2], requires_grad=True)


def a_condition_is_a_whole_tensor(torch):
    if torch.ones(2) > 0:
        pass


def classes_are_numbered_from_one(torch):
    torch.nn.functional.cross_entropy(torch.zeros(2, 3), torch.tensor([1, 3]))


def a_word_is_not_in_the_table(torch):
    torch.nn.Embedding(5, 2)(torch.tensor([[0, 5]]))


MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace"
TWICE = "Trying to backward through the graph a second time (or directly access saved tensors"
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"

# confusion -> (how torch's message begins, what the note must mention in every language)
CONFUSIONS = {
    a_saved_result_is_changed: (MODIFIED, ["ExpBackward0", "y = x.exp()", "y = y.clone(); y.add_(1)"]),
    a_saved_input_is_changed: (MODIFIED, ["MulBackward0", "z = y * y", "clone"]),
    a_parameter_is_updated_too_early: (MODIFIED, ["MulBackward0", "loss = (w * w).sum()"]),
    a_detached_tensor_shares_its_memory: (MODIFIED, ["ExpBackward0", "y = x.exp()", "clone"]),
    one_half_is_multiplied_by_the_other: (MODIFIED, ["y[:2].mul_(y[2:])", "clone"]),
    backward_runs_twice: (TWICE, ["MulBackward0", "y = (x * x).sum()", "`y.backward()`"]),
    two_losses_share_a_part: (TWICE, ["MulBackward0", "h = x * x", "retain_graph=True"]),
    a_leaf_is_written_to: (
        "a leaf Variable that requires grad is being used in an in-place operation.",
        ["torch.no_grad()"],
    ),
    a_part_of_a_leaf_is_written_to: (
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ["torch.no_grad()"],
    ),
    a_vector_has_no_implicit_gradient: (
        "grad can be implicitly created only for scalar outputs",
        ["sum()", "gradient"],
    ),
    the_gradient_has_another_shape: (
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0]",
        ["gradient"],
    ),
    a_tensor_of_tensors_has_no_graph: (NO_GRAPH, ["torch.stack([x[0], x[1]])", "torch.tensor()"]),
    no_grad_records_nothing: (NO_GRAPH, ["no_grad", "enable_grad"]),
    a_gradient_has_no_graph: (NO_GRAPH, ["create_graph=True"]),
    a_constant_cannot_retain: (
        "can't retain_grad on Tensor that has requires_grad=False",
        ["requires_grad"],
    ),
    a_result_keeps_its_flag: (
        "you can only change requires_grad flags of leaf variables.",
        ["w = w - 0.5", "detach()"],
    ),
    a_result_is_given_its_flag: (
        "you can only change requires_grad flags of leaf variables.",
        ["half = w / 2", "retain_grad()"],
    ),
    an_input_is_not_in_the_graph: (
        "The differentiated Tensor at index 0 appears to not have been used in the graph.",
        ["allow_unused=True"],
    ),
    an_input_is_a_constant: (
        "One of the differentiated Tensors does not require grad",
        ["requires_grad"],
    ),
    a_hook_changes_the_shape: ("hook '<lambda>' has changed the size of value", ["hook"]),
    a_hook_without_a_name_changes_the_shape: ("hook '<unknown>' has changed the size of value", ["hook"]),
    nan_hides_behind_where: (
        "Function 'DivBackward0' returned nan values in its 0th output.",
        ["DivBackward0", "torch.where"],
    ),
    an_inference_tensor_meets_autograd: (
        "Inference tensors cannot be saved for backward.",
        ["inference_mode", "no_grad"],
    ),
    a_function_returns_too_few_gradients: (
        "function TimesBackward returned an incorrect number of gradients (expected 2, got 1)",
        ["backward", "None"],
    ),
    a_function_saves_a_number: (
        "save_for_backward can only save variables, but argument 1 is of type int",
        ["ctx."],
    ),
    a_gradient_is_assigned_in_another_shape: (
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'.",
        [".grad"],
    ),
    numpy_cannot_carry_a_graph: (
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        ["detach()"],
    ),
    one_of_several_views_is_written_to: (
        "Output 0 of Split is a view and is being modified inplace.",
        ["clone"],
    ),
    an_expanded_tensor_is_written_to: (
        "unsupported operation: more than one element of the written-to tensor refers to",
        ["clone()", "expand"],
    ),
    integers_have_no_gradient: (
        "Only Tensors of floating point and complex dtype can require gradients",
        ["float"],
    ),
    a_condition_is_a_whole_tensor: (
        "Boolean value of Tensor with more than one value is ambiguous",
        ["any()", "all()"],
    ),
    classes_are_numbered_from_one: ("Target 3 is out of bounds.", ["3", "0", "2", "ignore_index"]),
    a_word_is_not_in_the_table: ("index out of range in self", ["5", "0", "4", "num_embeddings"]),
}


@pytest.fixture(autouse=True)
def english():
    """Leave the language and the anomaly mode as they were."""
    yield
    minigrad.set_language("en")


def raised(confusion, torch) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the text is what is compared
        confusion(torch)
    return caught.value


def note(confusion, language: str) -> str:
    minigrad.set_language(language)
    return "\n".join(getattr(raised(confusion, minigrad), "__notes__", []))


@pytest.mark.parametrize("confusion", CONFUSIONS, ids=lambda f: f.__name__)
def test_the_first_line_is_the_one_of_torch(confusion):
    assert str(raised(confusion, minigrad)).startswith(CONFUSIONS[confusion][0])


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("confusion", CONFUSIONS, ids=lambda f: f.__name__)
def test_torch_and_minigrad_raise_the_same(confusion, oracle):
    theirs, ours = (raised(confusion, m) for m in (importlib.import_module(oracle), minigrad))

    assert type(ours) is type(theirs)
    assert str(ours).splitlines()[0] == str(theirs).splitlines()[0]


@pytest.mark.parametrize("confusion", CONFUSIONS, ids=lambda f: f.__name__)
def test_the_note_helps_in_english(confusion):
    text = note(confusion, "en")

    assert [word for word in CONFUSIONS[confusion][1] if word not in text] == []
    assert not CHINESE.search(text)


@pytest.mark.parametrize("confusion", CONFUSIONS, ids=lambda f: f.__name__)
def test_the_note_helps_in_chinese(confusion):
    text = note(confusion, "zh")

    assert [word for word in CONFUSIONS[confusion][1] if word not in text] == []
    assert CHINESE.search(text)


def test_the_two_languages_together_are_both_notes():
    both = note(backward_runs_twice, "both")

    assert note(backward_runs_twice, "en") in both
    assert note(backward_runs_twice, "zh") in both


def test_a_note_names_who_changed_a_saved_tensor():
    assert "y.add_(1)" in note(a_saved_result_is_changed, "en")


def test_a_note_names_the_backward_that_freed_the_graph():
    assert "backward()" in note(two_losses_share_a_part, "en")


GRAPH = "def graph():\n    x = torch.ones(2, requires_grad=True)\n    return (x * x).sum()\n"
TWICE = "loss = graph()\nloss.backward()\n(loss * 2).backward()\n"


@pytest.mark.parametrize(("files", "made", "freed"), [
    ({"lesson.py": GRAPH + TWICE}, "line 3", "line 5"),
    ({"model.py": GRAPH, "lesson.py": TWICE}, "line 3 of model.py", "line 2"),
    ({"ipykernel_7/1.py": GRAPH, "ipykernel_7/2.py": TWICE}, "line 3 of another cell", "line 2"),
])
def test_a_note_says_where_a_line_stands(files, made, freed, monkeypatch):
    for name, source in files.items():
        monkeypatch.setitem(linecache.cache, name, (len(source), None, source.splitlines(True), name))
    *first, last = (compile(source, name, "exec") for name, source in files.items())
    space = {"torch": minigrad}
    for code in first:
        exec(code, space)
    with pytest.raises(RuntimeError) as caught:
        exec(last, space)

    (note,) = caught.value.__notes__
    assert f"MulBackward0 (made in {made}: `return (x * x).sum()`)" in note
    assert f"{freed} ran backward first, `loss.backward()`" in note


def test_a_note_quotes_no_line_that_python_did_not_keep():
    with pytest.raises(RuntimeError) as caught:
        exec(compile(GRAPH + TWICE, "<stdin>", "exec"), {"torch": minigrad})

    assert "What happened: MulBackward0 kept" in caught.value.__notes__[0]
    assert "``" not in caught.value.__notes__[0]


def test_a_note_names_the_step_of_an_optimizer_that_came_too_early():
    w = minigrad.ones(2, requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    minigrad.optim.SGD([w], lr=0.1).step()

    with pytest.raises(RuntimeError) as caught:
        loss.backward()

    assert "`minigrad.optim.SGD([w], lr=0.1).step()`" in caught.value.__notes__[0]


@pytest.mark.parametrize("write", [
    "x.add_(1)", "x += torch.ones(2)", "x.mul_(torch.ones(2))", "x.zero_()", "x.copy_(torch.ones(2))", "x[0] = 5",
    "x.clamp_(max=0)", "x.masked_fill_(x > 1, 0)", "x.index_add_(0, torch.tensor([0]), torch.ones(1))",
    "x.uniform_()", "x[:1].add_(1)", "x.view(2).zero_()", "x.unsqueeze_(0)",
])
def test_an_inference_tensor_keeps_its_numbers_outside_inference_mode(write):
    """PyTorch writes first and refuses then: that is a difference on purpose, named in the README."""
    with minigrad.inference_mode():
        x = minigrad.tensor([1.0, 2.0])

    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        exec(write, {"torch": minigrad, "x": x})

    assert x.tolist() == [1, 2]


def test_an_error_leaves_grad_mode_and_graph_usable():
    raised(nan_hides_behind_where, minigrad)
    x = minigrad.ones(2, requires_grad=True)
    (x * 3).sum().backward()

    assert minigrad.is_grad_enabled()
    assert x.grad.tolist() == [3, 3]


def test_the_error_for_an_empty_list_is_a_new_one_each_time():
    found = []
    for _ in range(2):
        with pytest.raises(ValueError, match="expected a non-empty list of Tensors") as caught:
            minigrad.cat([])
        found.append(caught.value)

    assert found[0] is not found[1]  # one kept for all would keep every caller's variables alive


def test_the_warning_about_a_gradient_that_is_not_there_names_the_line():
    y = minigrad.ones(2, requires_grad=True) * 2

    with pytest.warns(UserWarning, match="not a leaf") as seen:
        assert y.grad is None

    assert seen[0].filename == __file__


@pytest.mark.parametrize("operator", [operator.add, operator.mul, operator.matmul])
def test_a_tensor_and_an_array_make_a_tensor(operator):
    with pytest.warns(DeprecationWarning, match="__array_wrap__"):  # as of torch's own
        result = operator(minigrad.ones(2, 2), np.eye(2))

    assert isinstance(result, minigrad.Tensor)
    assert result.dtype is minigrad.float64


def test_a_traceback_names_operations_as_learners_do():
    with pytest.raises(IndexError) as refused:
        minigrad.ones(2).cumsum(3)

    assert "cumsum" in [frame.name for frame in traceback.extract_tb(refused.value.__traceback__)]


@pytest.mark.parametrize("program", [
    lambda torch, x: torch.nn.functional.softmax(x), lambda torch, x: torch.tensor(x),
    lambda torch, x: torch.nn.functional.mse_loss(x, x[:, :1]), lambda torch, x: torch.nn.Softmax()(x),
    lambda torch, x: x.detach()[torch.ones(2, 2, dtype=torch.uint8)],
    lambda torch, x: torch.meshgrid(x[0].detach()),
])
def test_a_warning_names_the_learners_line(program):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program(minigrad, minigrad.ones(2, 2))

    assert {(given.filename, given.lineno) for given in caught} == {(__file__, program.__code__.co_firstlineno)}


def said_of(torch, attempt):
    try:
        attempt(torch)
    except (RuntimeError, TypeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def through_inference(torch, first, second):
    """Write into a view of a view, of which the first was made in inference mode."""
    t = torch.ones(2, 2, 2, requires_grad=True) * 2
    with torch.inference_mode():
        view = first(t)
    second(torch, view).mul_(2)


def part_of(torch, view):
    with torch.no_grad():
        return view[0]


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="torch is asked")
@pytest.mark.parametrize("attempt", [
    lambda torch: through_inference(torch, lambda t: t[0], lambda _, v: v.unbind()[0]),
    lambda torch: through_inference(torch, lambda t: t.unbind()[0], lambda _, v: v.split(1)[0]),
    lambda torch: through_inference(torch, lambda t: t[0], part_of),
    lambda torch: torch.autograd.backward([torch.ones(1, requires_grad=True).sum()] * 2, [torch.ones(())]),
    lambda torch: setattr(torch.ones(2, requires_grad=True), "grad", np.ones(2)),
    lambda torch: setattr(torch.ones(2), "data", np.ones(2)),
], ids=range(6))
def test_a_refusal_has_torchs_words(attempt):
    assert said_of(minigrad, attempt) == said_of(importlib.import_module("torch"), attempt) != ""
