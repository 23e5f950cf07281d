"""Run code as a terminal would and write down what it shows.

Each statement is shown with `>>>`, then what it printed, the repr of a bare expression, the
warnings it gave, and the type and first line of what it raised; the next one runs all the same.
The text is the same for torch and for minigrad when both behave the same.
"""

import ast
import contextlib
import io
import re
import sys
import warnings
from types import ModuleType

# `import minigrad` asks for this too; "always" would undo it
NUMPY_SPEAKS = r"minigrad(\.|$)"
ADDRESS = re.compile(r"0x[0-9a-f]+")
TRIGGERED = re.compile(r" \(Triggered internally at .*")
ONCE_PER_PROCESS = (
    "Using backward() with create_graph=True",
    "Converting a tensor with requires",
    "The use of `x.T` on tensors of dimension",
    "Using torch.cross without specifying the dim arg",
    "`torch.jit.script` is deprecated",
    "torch.meshgrid: in an upcoming release",
    "This overload of ",
    "Using padding='same' with even kernel",
)
NUMBER = re.compile(r"\s*-?(\d+\.?\d*(e[+-]\d+)?|inf|nan)\b\.?")


def first_line(error: BaseException) -> str:
    """`ValueError: what went wrong`, without C++ source places and memory addresses."""
    lines = str(error).splitlines() or [""]
    return neutral(f"{type(error).__name__}: {lines[0]}")


def neutral(text: str) -> str:
    """Text without what may differ from run to run, or only in the module's name."""
    text = TRIGGERED.sub("", ADDRESS.sub("0x...", text))
    return re.sub(r"\bminigrad\.(?=\w)", "torch.", text)


def placeholders(text: str) -> str:
    """Every number, with the padding before it, as `#`: for values that may be 4 ulp off."""
    return NUMBER.sub("#", text)


def statements(source: str) -> list[str]:
    """The top-level statements of a program, decorators included."""
    lines = source.splitlines()
    return [
        "\n".join(lines[first_lineno(node) - 1 : node.end_lineno])
        for node in ast.parse(source).body
    ]


def first_lineno(node: ast.stmt) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def transcript(source: str, torch: ModuleType) -> list[str]:
    """The lines a terminal would show; every session starts from the same state."""
    reset(torch)
    namespace = {"torch": torch, "F": torch.nn.functional, "__name__": "session"}
    lines = []
    try:
        for statement in statements(source):
            lines += [f">>> {statement}", *run(statement, namespace)]
    finally:
        reset(torch)
    return [line for text in lines for line in neutral(text).rstrip("\n").split("\n")]


def run(statement: str, namespace: dict) -> list[str]:
    """What one statement shows, warnings and errors in the place where they appear."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), warnings.catch_warnings(), plain_display():
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=NUMPY_SPEAKS)
        warnings.showwarning = show_warning
        try:
            exec(compile(statement + "\n", "<session>", "single"), namespace)
        except Exception as error:
            print(first_line(error))
    return [shown.getvalue()] if shown.getvalue() else []


def show_warning(message: Warning, *place) -> None:
    """A line for a warning; those given once per process depend on what ran before: no line."""
    if not str(message).startswith(ONCE_PER_PROCESS):
        print(first_line(message))


@contextlib.contextmanager
def plain_display():
    """Show a bare expression's repr without keeping it alive in `builtins._`."""
    before, sys.displayhook = sys.displayhook, lambda value: value is None or print(repr(value))
    try:
        yield
    finally:
        sys.displayhook = before


def reset(torch: ModuleType) -> None:
    """Bring a library's process-wide switches back to where a new process has them."""
    torch.set_grad_enabled(True)
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default", sci_mode=None)
    torch.autograd.set_detect_anomaly(False)
