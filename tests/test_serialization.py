"""torch.save and torch.load: what comes back, in torch and here, and what a file may not make."""

import importlib
import importlib.util
import io
import math
import os
import pickle
import random
import struct
import sys
import zipfile
from collections import OrderedDict

import numpy
import pytest

import minigrad as torch
from tests.oracle import saved

LIVE = ["torch"] if importlib.util.find_spec("torch") else []
POSIX = pytest.mark.skipif(os.name == "nt", reason="links, devices and permissions as POSIX has them")
TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n"
HOOKS = b"ccollections\nOrderedDict\n)R"


def written(value, torch=torch, **options):
    """The file as bytes."""
    file = io.BytesIO()
    torch.save(value, file, **options)
    return file.getvalue()


def read(content, **options):
    return torch.load(io.BytesIO(content), **options)


def through(value, **options):
    """`value`, saved and read again."""
    return read(written(value), **options)


def archive(code, compression=zipfile.ZIP_STORED, byteorder=sys.byteorder, **storages):
    """A file with this pickle and these storages."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as records:
        records.writestr("archive/data.pkl", code)
        records.writestr("archive/byteorder", byteorder)
        for key, content in storages.items():
            records.writestr(f"archive/data/{key.removeprefix('key')}", content)
        records.writestr("archive/version", "3\n")
    return file.getvalue()


def described(value, seen=()):
    """All that is to be the same in torch and here: kinds, numbers, types, places, flags."""
    if any(value is other for other in seen):
        return "itself"
    if hasattr(value, "grad_fn"):
        return [type(value).__name__, value.tolist(), str(value.dtype), tuple(value.shape), value.stride(),
                value.storage_offset(), value.requires_grad, value.is_leaf, value._version]
    if isinstance(value, dict):
        return [type(value).__name__, [(described(k), described(v, (*seen, value))) for k, v in value.items()]]
    if isinstance(value, list | tuple):
        return [type(value).__name__, [described(part, (*seen, value)) for part in value]]
    return [type(value).__name__, str(value)]


def assert_is_the_sample(back):
    want = described(saved.sample(torch))
    for (key, wanted), (_, got) in zip(want[1], described(back)[1], strict=True):
        if key[1] in ("adam", "sgd"):   # torch's optimizers have more options, but the same state
            wanted, got = wanted[1][0], got[1][0]
        for ours, theirs in zip(flat(wanted), flat(got), strict=True):
            assert ours == theirs or math.isclose(ours, theirs, rel_tol=1e-6), key


def flat(tree):
    """Leaves of nested lists, versions left out: those of what was saved go on from what happened to it."""
    if isinstance(tree, list) and len(tree) == 9:
        tree = tree[:-2] if tree[0] == "Tensor" else tree[:-1]
    if isinstance(tree, list | tuple):
        return [leaf for part in tree for leaf in flat(part)]
    return [tree]


# ---- values come back ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", saved.DTYPES)
def test_a_tensor_comes_back_with_its_numbers_and_its_flag(kind):
    t = torch.ones(2, 3).to(getattr(torch, kind))
    t.requires_grad_(t.is_floating_point())

    back = through(t)

    assert back.equal(t)
    assert (back.dtype, back.shape) == (t.dtype, t.shape)
    assert (back.is_leaf, back.requires_grad) == (True, t.requires_grad)


def test_a_result_comes_back_as_a_leaf():
    back = through(torch.ones(2, requires_grad=True) * 3)

    assert (repr(back), back.is_leaf) == ("tensor([3., 3.], requires_grad=True)", True)


def test_a_model_goes_on_where_it_was(tmp_path):
    model, other = (torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)) for _ in range(2))
    path = tmp_path / "weights.pt"

    torch.save({"model": model.state_dict(), "epoch": 3, "shape": torch.Size([2]), "kind": torch.float64}, path)
    saved = torch.load(path)
    other.load_state_dict(saved["model"])

    assert (saved["epoch"], saved["shape"], saved["kind"]) == (3, torch.Size([2]), torch.float64)
    assert all(a.equal(b) for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def test_every_kind_of_value_comes_back():
    assert_is_the_sample(through(saved.sample(torch)))


def test_views_share_one_storage_after_loading():
    x = torch.arange(6.0).reshape(2, 3)

    a, b, same = through([x, x.t()[1:], x])
    a[0, 1] = 9

    assert (b[0, 0].item(), b.stride(), b.storage_offset()) == (9, (1, 3), 1)
    assert same is a
    assert written(x[0, :1].clone()).count(struct.pack("f", 5)) < written(x[0, :1]).count(struct.pack("f", 5))


def test_what_numpy_lays_out_in_its_own_way_keeps_its_numbers():
    odd = numpy.asarray(memoryview(bytearray(range(12)))[::3])      # NumPy did not make this memory
    layouts = [numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3)), numpy.arange(24.0).reshape(2, 3, 4)[:, ::2],
               numpy.empty_like(numpy.zeros((2, 3, 4)).transpose(0, 2, 1)), odd]

    for array in layouts:
        array[...] = numpy.arange(array.size).reshape(array.shape)
        t = torch.from_numpy(array)

        assert through(t).equal(t)


def test_one_memory_of_two_types_is_refused_as_in_torch():
    x = torch.ones(4)

    with pytest.raises(RuntimeError, match="view the same data as different types"):
        written([x, x.view(torch.int32)])


def test_saved_tensors_wait_in_files(tmp_path):
    def pack(t):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.pt"
        torch.save(t, path)
        return path

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, torch.load):
        y = (x * 3).pow(2).sum()
    y.backward()

    assert len(list(tmp_path.iterdir())) == 1
    assert x.grad.tolist() == [18.0, 36.0]


# ---- torch and minigrad read each other ----------------------------------------------------


def test_a_recorded_file_of_torch_is_read():
    assert_is_the_sample(torch.load(saved.FILE))


@pytest.mark.parametrize("oracle", LIVE)
def test_torch_still_writes_what_was_recorded(oracle):
    theirs = written(saved.sample(importlib.import_module(oracle)), importlib.import_module(oracle))
    now, then = zipfile.ZipFile(io.BytesIO(theirs)), zipfile.ZipFile(saved.FILE)

    assert now.read("archive/data.pkl") == then.read("saved/data.pkl"), "python -m tests.oracle.saved"


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("options", [{}, {"mmap": True}], ids=str)
def test_torch_reads_ours_and_we_read_torchs(oracle, options, tmp_path):
    real = importlib.import_module(oracle)
    torch.save(saved.sample(torch), tmp_path / "ours.pt")
    real.save(saved.sample(real), tmp_path / "theirs.pt")

    assert_is_the_sample(real.load(tmp_path / "ours.pt", **options))
    assert_is_the_sample(torch.load(str(tmp_path / "theirs.pt"), **options))
    assert described(torch.load(tmp_path / "theirs.pt")) == described(real.load(tmp_path / "theirs.pt"))
    assert described(torch.load(tmp_path / "ours.pt")) == described(real.load(tmp_path / "ours.pt"))


@pytest.mark.parametrize("oracle", LIVE)
def test_the_pickle_is_torchs_to_the_byte(oracle):
    real = importlib.import_module(oracle)

    def code(torch):
        sample = saved.sample(torch)
        chosen = {key: sample[key] for key in sample if key not in ("device", "sgd", "adam")}
        return zipfile.ZipFile(io.BytesIO(written(chosen, torch))).read("archive/data.pkl")

    assert code(torch) == code(real)


@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("make", saved.OPTIMIZERS.values(), ids=saved.OPTIMIZERS)
@pytest.mark.parametrize("ours_first", [True, False])
def test_training_goes_on_in_the_other_one(oracle, make, ours_first):
    first, second = (torch, importlib.import_module(oracle))[:: 1 if ours_first else -1]

    def one_more_step(torch, model, optimizer):
        optimizer.zero_grad()
        model(torch.tensor([[1.0, 2.0]])).sum().backward()
        optimizer.step()
        return model.weight.tolist()

    model, optimizer = saved.trained(first, make)
    file = io.BytesIO(written({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, first))
    state = second.load(file)
    other = second.nn.Linear(2, 1)
    other.load_state_dict(state["model"])
    other_optimizer = make(second.optim, other.parameters())
    other_optimizer.load_state_dict(state["optimizer"])

    assert other.weight.tolist() == model.weight.tolist()
    assert numpy.allclose(one_more_step(second, other, other_optimizer), one_more_step(first, model, optimizer))


def test_numbers_of_the_other_byte_order_are_turned():
    code = TENSOR + b"((X\x07\0\0\0storagectorch\nIntStorage\nX\1\0\0\x000X\3\0\0\0cpuK\2tQK\0K\2\x85K\1\x85\x89"
    content = archive(code + HOOKS + b"tR.", byteorder="big", key0=struct.pack(">ii", 1, -2))

    assert read(content).tolist() == [1, -2]


# ---- files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [b"the old weights", None])
def test_a_failed_save_leaves_the_old_file(tmp_path, old, monkeypatch):
    path = tmp_path / "weights.pt"
    if old is not None:
        path.write_bytes(old)
    before = [(p.name, p.read_bytes()) for p in tmp_path.iterdir()]

    with pytest.raises(TypeError):
        torch.save({"x": torch.ones(3), "generator": (i for i in range(3))}, path)
    monkeypatch.setattr(os, "replace", lambda a, b: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        torch.save(torch.ones(3), path)

    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == before


@POSIX
def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "private.pt"
    path.touch(0o600)

    torch.save(torch.ones(2), path)

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_failed_save_writes_nothing_into_an_open_file():
    file = io.BytesIO()

    with pytest.raises(TypeError):
        torch.save([torch.ones(3), (i for i in range(3))], file)

    assert file.getvalue() == b""


@POSIX
def test_what_is_no_plain_file_is_written_where_it_is(tmp_path):
    (tmp_path / "real.pt").write_bytes(b"")
    (tmp_path / "link.pt").symlink_to(tmp_path / "real.pt")

    torch.save(torch.ones(2), tmp_path / "link.pt")
    torch.save(torch.ones(2), os.devnull)

    assert (tmp_path / "link.pt").is_symlink()
    assert torch.load(tmp_path / "real.pt").tolist() == [1, 1]
    assert not os.path.isfile(os.devnull)


@pytest.mark.parametrize("place", ["cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, place: storage],
                         ids=["text", "device", "dict", "function"])
def test_map_location_says_where_storages_go(place):
    code = TENSOR + b"((X\x07\0\0\0storagectorch\nIntStorage\nX\1\0\0\x000X\6\0\0\0cuda:0K\1tQK\0K\1\x85K\1\x85\x89"
    content = archive(code + HOOKS + b"tR.", key0=struct.pack("=i", 7))

    assert read(content, map_location=place).tolist() == [7]
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        read(content)


MISTAKES = {
    "a parent that is missing": lambda torch, tmp: torch.save(1, str(tmp / "missing" / "x.pt")),
    "a number to write to": lambda torch, tmp: torch.save(1, 3),
    "a number to read from": lambda torch, tmp: torch.load(3),
    "no file": lambda torch, tmp: torch.load(str(tmp / "missing.pt")),
    "mmap of memory": lambda torch, tmp: torch.load(io.BytesIO(written(1)), mmap=True),
    "a pickle module": lambda torch, tmp: torch.load(io.BytesIO(written(1)), pickle_module=pickle, weights_only=True),
    "a word that unpickling does not know": lambda torch, tmp: torch.load(io.BytesIO(written(1)), foo=1),
    "that word, trusted": lambda torch, tmp: torch.load(io.BytesIO(written(1)), foo=1, weights_only=False),
    "a name of os": lambda torch, tmp: torch.load(io.BytesIO(archive(b"cnumpy\nload\n."))),
    "protocol 5": lambda torch, tmp: torch.load(io.BytesIO(archive(b"}\x8e."))),
    "a record of the wrong size": lambda torch, tmp: torch.load(io.BytesIO(wrong_size())),
    "a GPU": lambda torch, tmp: torch.load(io.BytesIO(written(torch.ones(2), torch)), map_location="cuda:7"),
}


def wrong_size():
    code = TENSOR + b"((X\x07\0\0\0storagectorch\nIntStorage\nX\1\0\0\x000X\3\0\0\0cpuK\2tQK\0K\2\x85K\1\x85\x89"
    return archive(code + HOOKS + b"tR.", key0=b"abc")


@pytest.mark.filterwarnings("ignore:pickle_load_args")
@pytest.mark.parametrize("oracle", LIVE)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused_as_torch_refuses_them(oracle, mistake, tmp_path):
    caught = []
    for library in (torch, importlib.import_module(oracle)):
        with pytest.raises((*ERRORS, AttributeError, OSError, TypeError, ValueError)) as error:
            MISTAKES[mistake](library, tmp_path)
        caught.append((error.type, str(error.value).splitlines()[0].split("In PyTorch 2.6")[0]))

    (ours, text), (theirs, wanted) = caught
    assert issubclass(ours, theirs)
    kinds = ("8 elements * 1 bytes/element) for dtype Byte", "2 elements * 4 bytes/element) for dtype Int")
    assert text == wanted.replace(*kinds)


# ---- what a file may not do ----------------------------------------------------------------

ERRORS = (pickle.UnpicklingError, RuntimeError, EOFError)      # the last for a file without a single byte
called = []


def canary(*args):
    called.append(args)


def outcome(content):
    """What comes of a file: what it holds, or the kind of error."""
    try:
        return described(read(content))
    except ERRORS as error:
        return type(error) if str(error) or error.__notes__ else "an error that says nothing"


@pytest.fixture
def nothing_happens():
    """Neither import nor call while the test runs."""
    outcome(written(torch.ones(2))[:-9])                        # the sentences of notes are read once
    outcome(archive(b"cos\nsystem\n."))
    before = {*sys.modules}
    yield
    assert {*sys.modules} - before == set()
    assert called == []


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def number(n):
    return b"\x8a\x0a" + n.to_bytes(10, "little", signed=True)


def storage(kind="FloatStorage", key="0", place="cpu", numel=4, first="storage"):
    return b"(" + text(first) + f"ctorch\n{kind}\n".encode() + text(key) + text(place) + number(numel) + b"tQ"


def tensor(held=None, offset=0, size=(4,), stride=(1,), flag=b"\x89", hooks=HOOKS):
    numbers = [b"(" + b"".join(map(number, ns)) + b"t" for ns in (size, stride)]
    return TENSOR + b"(" + (held or storage()) + number(offset) + b"".join(numbers) + flag + hooks + b"tR"


NAMES = """os.system posix.system builtins.eval builtins.exec builtins.__import__ builtins.getattr builtins.open
    subprocess.Popen numpy.load numpy.ndarray numpy.dtype numpy._core.multiarray._reconstruct pickle.loads
    minigrad.magics.load_ipython_extension minigrad._tensor._restored codecs.encode _codecs.decode operator.attrgetter
    functools.partial tests.test_serialization.canary torch.load torch.nn.modules.linear.Linear torch.Tensor
    torch.storage.UntypedStorage torch._utils._rebuild_tensor_v3 torch.BFloat16Storage torch.ComplexFloatStorage
    torch.bfloat16 collections.Counter collections.defaultdict antigravity.geohash this.s .eval""".split()
KEPT = b"\x80.(N\x88\x89)]}JKMGX\x8a\x85\x86\x87tcRQqrhjaesub"
DATA = struct.pack("=4f", 1, 2, 3, 4)
CRAFTED = {
    **{f"{name} is called": "c{}\n{}\n".format(*name.rsplit(".", 1)).encode() + text("true") + b"\x85R."
       for name in NAMES},
    **{f"{name} is made, in the old way": "({}i{}\n{}\n.".format("", *name.rsplit(".", 1)).encode()
       for name in NAMES[:9]},
    **{f"{name} stands on the stack": text(name.rsplit(".", 1)[0]) + text(name.rsplit(".", 1)[1]) + b"\x93)R."
       for name in NAMES[:9]},
    **{f"instruction {code}": bytes([code]) + 8 * b"\0" + b"\n."
       for code in (0, *range(0x80, 0x9a), *b"FILSTUVgp0128Bi") if code not in KEPT},
    "an object array": b"cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\nK\0\x85C\x01btR(K\x01K\x01\x85"
                       b"cnumpy\ndtype\n(X\x02\0\0\0O8\x89\x88tR\x89C\x08AAAAAAAAtb.",
    "a structured dtype": b"cnumpy\ndtype\n(X\x03\0\0\0V16\x89\x88tR.",
    "a storage of objects": tensor(storage("ObjectStorage")) + b".",
    "extension 1": b"\x82\x01.", "extension 2**31": b"\x84\0\0\0\x80.",
    "a result is called": b"ccollections\nOrderedDict\n)R)R.", "a number is called": b"K\1)R.",
    "a text is called": text("os.system") + b")R.", "a tensor is called": tensor() + b")R.",
    "a dtype is called": b"ctorch\nfloat32\n)R.", "a type of storage is called": b"ctorch\nFloatStorage\n)R.",
    "arguments in a list": b"ctorch\nSize\n]R.", "too many arguments": b"ctorch\nSize\n))\x86R.",
    "a size of texts": b"ctorch\nSize\n" + text("a") + b"\x85\x85R.",
    "a device of a list": b"ctorch\ndevice\n]\x85R.", "no device": b"ctorch\ndevice\n" + text("zebra") + b"\x85R.",
    "a codec": b"c_codecs\nencode\n" + text("a") + text("idna") + b"\x86R.",
    "a set of lists": b"c__builtin__\nset\n](]]e\x85R.",
    "a set of a text": b"c__builtin__\nset\n" + text("ab") + b"\x85R.",
    "bytes of a length": b"c__builtin__\nbytes\n" + number(2**40) + b"\x85R.",
    "a bytearray of a length": b"c__builtin__\nbytearray\n" + number(2**40) + b"\x85R.",
    "a list is built": b"]}b.", "a tensor is built": tensor() + b"}b.", "a dict is built": b"}}b.",
    "an OrderedDict is built of a list": HOOKS[:-1] + b"R]" + b"b.",
    "a method of a dict is covered": HOOKS + b"}" + text("items") + b"K\1sb.",
    "a class is covered": HOOKS + b"}" + text("__class__") + b"K\1sb.",
    "a state of numbers": HOOKS + b"}K\1K\1sb.", "append to a dict": b"}K\1a.", "extend a tuple": b")(K\1e.",
    "append to a tensor": tensor() + b"K\1a.", "an item of a list": b"](K\0K\1u.",
    "an item of a tensor": tensor() + b"K\0K\1s.", "half an item": b"}(K\0u.", "a list as key": b"}]K\1s.",
    "a deep tuple as key": b"}" + b")" + b"\x85" * 100_000 + b"K\1s.",
    "a wide tuple as key": b"}" + b")" + b"q\0h\0\x86" * 200 + b"K\1s.",
    "itself as key": b"}q\0h\0K\1s.", "no such memo": b"h\5.", "nothing to memo": b"q\0.", "an empty stack": b".",
    "no mark": b"t.", "a tuple of nothing": b"\x85.", "no end": b"K\1", "nothing": b"",
    "a text of 4 GB": b"X\xff\xff\xff\xffa.", "a name without end": b"cos", "no text": b"X\1\0\0\0\xff.",
    "protocol 200": b"\x80\xc8.", "a number cut off": b"J\1.", "a set again and again":
        b"]q\0(" + b"".join(b"M" + struct.pack("<H", n) for n in range(9000)) + b"e"
        + b"c__builtin__\nset\nq\1" + b"h\1h\0\x85R" * 9000 + b".",
    "id: a number": b"K\5Q.", "id: a text": text("storage") + b"Q.",
    "id: nothing": b"NQ.", "id: a tensor": tensor() + b"Q.",
    "id: empty": b")Q.", "id: a list": b"]Q.",
    "id: of four": b"(" + text("storage") + b"ctorch\nFloatStorage\nK\0K\0tQ.",
    "id: of a module": storage(first="module") + b".", "id: of a dtype": storage().replace(b"Storage", b"16") + b".",
    "id: a negative length": tensor(storage(numel=-4)) + b".",
    "id: a huge length": tensor(storage(numel=2**62)) + b".",
    "id: too short": tensor(storage(numel=3)) + b".", "id: a path": tensor(storage(key="../../../etc/passwd")) + b".",
    "id: an absolute path": tensor(storage(key="/etc/passwd")) + b".",
    "id: a key that is missing": tensor(storage(key="9")) + b".",
    "id: another record": tensor(storage(key="../byteorder")) + b".",
    "id: a strange place": tensor(storage(place="zebra")) + b".",
    "id: a GPU": tensor(storage(place="cuda:0")) + b".", "id: first floats, then ints":
        b"(" + tensor() + tensor(storage("IntStorage")) + b"t.",
    "a tensor of a list": TENSOR + b"(]K\0))\x89" + HOOKS + b"tR.", "a tensor of nothing": TENSOR + b")R.",
    "beyond the end": tensor(size=(5,)) + b".", "an offset beyond the end": tensor(offset=1) + b".",
    "a negative offset": tensor(offset=-1) + b".", "a huge offset": tensor(offset=2**70) + b".",
    "a negative size": tensor(size=(-1,)) + b".", "a huge size": tensor(size=(2**70,)) + b".",
    "a huge size without steps": tensor(size=(2**70,), stride=(0,)) + b".", "65 dimensions":
        tensor(size=(1,) * 65, stride=(0,) * 65) + b".",
    "a negative stride": tensor(offset=3, stride=(-1,)) + b".", "a huge stride": tensor(stride=(2**62,)) + b".",
    "a huge stride of nothing": tensor(size=(0,), stride=(2**70,)) + b".",
    "sizes without strides": tensor(stride=()) + b".",
    "a size of bools": tensor().replace(number(4) + b"t" + b"(", b"\x88t(") + b".",
    "a flag of text": tensor(flag=text("a")) + b".",
    "hooks in a list": tensor(hooks=b"]") + b".", "ints that require grad":
        tensor(storage("IntStorage"), flag=b"\x88") + b".",
    "a Parameter of a list": b"ctorch._utils\n_rebuild_parameter\n]\x88" + HOOKS + b"\x87R.",
    "a Parameter of ints": b"ctorch._utils\n_rebuild_parameter\n" + tensor(storage("IntStorage")) + b"\x88" + HOOKS
                           + b"\x87R.",
}
HARMLESS = {
    "a memo far away": (b"K\1r\xff\xff\xff\xffj\xff\xff\xff\xff\x86.", (1, 1)),
    "a list in itself, many times": (b"]q\0(h\0h\0h\0eK\1\x86.", None),
    "a deep list": (b"](" * 20_000 + b"e" * 20_000 + b".", None),
    "a tensor larger than memory": (tensor(size=(2**40,), stride=(0,)) + b".", None),
    "an attribute of a state dict": (HOOKS + b"}" + text("_metadata") + b"}sb.", OrderedDict()),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_pickle_is_refused(name, nothing_happens):
    assert outcome(archive(CRAFTED[name], key0=DATA)) in ERRORS


def test_there_are_a_hundred_crafted_pickles():
    assert len(CRAFTED) >= 100


@pytest.mark.parametrize("name", HARMLESS)
def test_a_strange_pickle_that_harms_nobody_is_read(name, nothing_happens):
    code, wanted = HARMLESS[name]

    back = read(archive(code, key0=DATA))

    assert wanted is None or back == wanted


def test_a_cut_file_is_refused_or_right(nothing_happens):
    content, dice = saved.FILE.read_bytes(), random.Random(0)

    cuts = [*range(20), *dice.sample(range(20, len(content)), 280)]

    assert {outcome(content[:cut]) for cut in cuts} <= {*ERRORS}


def test_a_flipped_bit_is_noticed_or_does_not_matter(nothing_happens):
    content, dice = saved.FILE.read_bytes(), random.Random(0)
    right = described(read(content))

    for _ in range(300):
        flipped = bytearray(content)
        flipped[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
        got = outcome(flipped)

        assert got in ERRORS or got == right


def test_a_flipped_bit_in_the_pickle_itself_makes_no_harm(nothing_happens):
    code, dice = zipfile.ZipFile(saved.FILE).read("saved/data.pkl"), random.Random(0)

    for _ in range(300):
        flipped = bytearray(code)
        flipped[dice.randrange(len(code))] ^= 1 << dice.randrange(8)

        assert outcome(archive(bytes(flipped), key0=DATA)) != "an error that says nothing"


def hollow(entries, **changed):
    """A file of which the central directory says something else."""
    content = bytearray(archive(tensor() + b".", key0=DATA))
    at = [i for i in range(len(content)) if content[i : i + 4] == b"PK\1\2"][entries]
    for offset, value in changed.items():
        content[at + int(offset[2:]) : at + int(offset[2:]) + len(value)] = value
    return bytes(content)


@pytest.mark.parametrize("content", [
    archive(b"N.", zipfile.ZIP_DEFLATED), archive(b"N.", zipfile.ZIP_LZMA), archive(b"N.", byteorder="middle"),
    hollow(0, at24=b"\xff\xff\xff\x7f"), hollow(2, at20=b"\0\0\0\1", at24=b"\0\0\0\1"), hollow(0, at8=b"\1"),
    hollow(2, at42=b"\0\0\0\0"), hollow(2, at16=b"\0\0\0\0"), b"PK\3\4", b"PK\5\6" + 18 * b"\0", b"hello"],
    ids="deflated lzma order hollow large encrypted elsewhere sum head empty words".split())
def test_a_doctored_archive_is_refused(content, nothing_happens):
    with pytest.raises((RuntimeError, ValueError)) as caught:
        read(content)

    assert getattr(caught.value, "__notes__", None) or "Unknown endianness" in str(caught.value)


@pytest.mark.parametrize("old", [
    pickle.dumps({"x": 1}), b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."],
    ids=["an earlier minigrad", "torch before 1.6"])
def test_an_old_file_says_how_to_write_it_anew(old):
    with pytest.raises(RuntimeError, match="Invalid magic number") as caught:
        read(old)

    assert "torch.save(torch.load(old), new)" in caught.value.__notes__[0]


def test_a_file_that_was_just_written_stands_at_its_end():
    file = io.BytesIO()
    torch.save(1, file)

    with pytest.raises(EOFError) as caught:
        torch.load(file)

    assert "f.seek(0)" in caught.value.__notes__[0]


def test_a_file_makes_nothing_but_values_unless_it_is_trusted():
    layer = torch.nn.Linear(2, 1)

    with pytest.raises(pickle.UnpicklingError, match=r"global: GLOBAL minigrad.nn.layers.Linear") as caught:
        through(layer)

    assert "state_dict" in caught.value.__notes__[0]
    assert repr(through(layer, weights_only=False)) == repr(layer)
    assert through(layer, weights_only=False).weight.equal(layer.weight)


@pytest.mark.parametrize("name", ["os.system", "minigrad.magics.load_ipython_extension", "numpy.load"])
def test_a_file_calls_no_function(name):
    module, function = name.rsplit(".", 1)

    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {name}"):
        read(archive(f"c{module}\n{function}\n.".encode()))


def test_a_whole_module_of_torch_is_refused_even_if_it_is_trusted():
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL torch.nn.modules.linear.Linear") as caught:
        read(archive(b"ctorch.nn.modules.linear\nLinear\n."), weights_only=False)

    assert "state_dict" in caught.value.__notes__[0]


def test_a_refusal_names_the_type_that_is_missing():
    with pytest.raises(pickle.UnpicklingError, match="Unsupported dtype: BFloat16") as caught:
        read(archive(tensor(storage("BFloat16Storage")) + b"."))

    assert "t.float()" in caught.value.__notes__[0]
