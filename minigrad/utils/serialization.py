"""torch.save and torch.load: tensors, state dicts and other plain values, in PyTorch's own files.

A file is a zip archive in which nothing is compressed: a pickle of the value, in which tensors are calls of
`torch._utils._rebuild_tensor_v2`, and beside it each storage as raw bytes, once, however many tensors look
at it. PyTorch reads what is written here, and the other way round. Source: torch/serialization.py.
"""

import contextlib
import io
import os
import pickle
import shutil
import struct
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from .._tensor import Size, Tensor
from ..array import address, device, device_count, device_of, dtypes, geometry, move, strided, xp
from ..core.writes.views import is_dense
from ..nn.parameter import Parameter
from ..text.presentation import error, need, require
from .unpickler import TORCH, AllowedCall, Refused, Storage, StorageType, Unpickler, named

_NAMES = {id(meant): name for name, meant in TORCH.items()}
_TYPES = {meant.dtype: meant for meant in TORCH.values() if type(meant) is StorageType}
_TENSOR, _PARAMETER, _SIZE, _DEVICE = (meant for meant in TORCH.values() if type(meant) is AllowedCall)


# ---- writing -------------------------------------------------------------------------------


_InPython: Any = pickle._Pickler  # the one in C knows no names but the true ones


class _Pickler(_InPython):
    """Writes torch's names for tensors, types, sizes and devices, and sets the storages aside."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Parameter):
            return _PARAMETER, (obj.detach(), obj.requires_grad, OrderedDict())
        if isinstance(obj, Tensor):
            array = obj._array()
            owner, offset, steps = geometry(array)
            if not is_dense(owner) or (address(array) - address(owner)) % array.itemsize:  # memory of NumPy's making
                owner, offset, steps = geometry(array.copy())
            storage = Storage(owner, _TYPES[obj.dtype])
            return _TENSOR, (storage, offset, tuple(obj.shape), steps, obj.requires_grad, OrderedDict())
        if isinstance(obj, Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, device):
            return _DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        return _NAMES.get(id(obj), NotImplemented)

    def save_global(self, obj: Any, name: str | None = None) -> None:
        if id(obj) not in _NAMES:
            return super().save_global(obj, name)
        self.write(pickle.GLOBAL + "{}\n{}\n".format(*_NAMES[id(obj)].rsplit(".", 1)).encode())
        self.memoize(obj)

    def persistent_id(self, obj: Any) -> Any:
        if type(obj) is not Storage:
            return None
        owner, kind = obj
        key, first = self.storages.setdefault(id(owner), (str(len(self.storages)), obj))
        need(first.type is kind, "save_types")
        return "storage", kind, key, str(device_of(owner)), owner.nbytes // kind.dtype.itemsize


def _archive(obj: Any, protocol: int) -> memoryview:
    """The whole file, made in memory: whatever fails, nothing has been written."""
    code, file = io.BytesIO(), io.BytesIO()
    pickler = _Pickler(code, protocol)
    pickler.storages = {}  # by the owner's id: its number, and the storage, which so stays alive
    pickler.dump(obj)
    records = {"data.pkl": code.getvalue(), "byteorder": sys.byteorder.encode(), "version": b"3\n"}
    for key, (owner, _) in pickler.storages.values():
        records[f"data/{key}"] = move(strided(owner, (owner.size,), (owner.itemsize,)), "cpu").view("u1").data
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in records.items():
            info = zipfile.ZipInfo(f"archive/{name}")
            gap = -(file.tell() + 34 + len(info.filename)) % 64  # storages begin at multiples of 64, as torch's do
            info.extra = struct.pack("<2sH", b"FB", gap) + bytes(gap)
            archive.writestr(info, content)
    return file.getbuffer()


def save(obj: Any, f: Any, pickle_module: Any = pickle, pickle_protocol: int = 2) -> None:
    """Write `obj` to `f`, a path or an open binary file; of a tensor its storage and flag, not its history.

    An old file at the path stays as it is until the new one is complete. Modules and optimizers are
    pickled whole, with their classes by name only: better save what their `state_dict()` returns.
    """
    require(pickle_module is pickle, "pickle_module must be Python's own pickle", ValueError)
    need(isinstance(f, str | os.PathLike) or hasattr(f, "write"), "save_place")
    content = _archive(obj, pickle_protocol)
    if hasattr(f, "write"):
        f.write(content)
        return
    path = os.path.realpath(f)
    require(os.path.isdir(os.path.dirname(path)), f"Parent directory {os.path.dirname(f)} does not exist.")
    plain = os.path.isfile(path) or not os.path.exists(path)  # /dev/null and its kind are written, not replaced
    beside = f"{path}.{os.urandom(4).hex()}" if plain else path
    try:
        with open(beside, "wb") as file:
            file.write(content)
        if os.path.isfile(path):
            shutil.copymode(path, beside)
        if plain:
            os.replace(beside, path)
    finally:
        if plain and os.path.exists(beside):  # it is not there any more, unless something failed
            os.unlink(beside)


# ---- reading -------------------------------------------------------------------------------


@contextlib.contextmanager
def _reading(what: str) -> Iterator[None]:
    """Whatever zipfile says of a broken file, in torch's words."""
    try:
        yield
    except Exception as cause:  # it has a dozen kinds
        raise error(RuntimeError, "broken_file", f"PytorchStreamReader failed {what}: {cause}") from cause


class _Archive:
    """The records of a file: none compressed, each checked against its sum."""

    def __init__(self, file: Any, map_location: Any) -> None:
        with _reading("reading zip archive"):
            self.zip = zipfile.ZipFile(file, metadata_encoding="utf-8")
            entries, self.map_location = self.zip.infolist(), map_location
            self.entries = {entry.filename.partition("/")[2]: entry for entry in entries}
            require(all(e.compress_type == zipfile.ZIP_STORED for e in entries), "compressed records")
            whole = sum(e.file_size for e in entries) <= file.seek(0, io.SEEK_END)
            require(whole and len(self.entries) == len(entries), "records overlap")
        self.storages: dict[str, Storage] = {}
        order = self.record("byteorder").decode() if "byteorder" in self.entries else "little"
        require(order in ("little", "big"), f"Unknown endianness type: {order}", ValueError)
        self.swapped = order != sys.byteorder

    def record(self, name: str) -> bytes:
        with _reading(f"{'reading' if name in self.entries else 'locating'} file {name}"):
            return self.zip.read(self.entries[name])

    def persistent_load(self, saved_id: Any) -> Storage:
        """The storage of `("storage", type, key, location, number of elements)`, one for each key."""
        parts = saved_id if type(saved_id) is tuple else ()
        known = [*map(type, parts)] == [str, StorageType, str, str, int] and parts[0] == "storage"
        require(known, f"Only persistent_load of storage is allowed, but got {type(saved_id)}", Refused)
        _, kind, key, location, numel = parts
        if key not in self.storages:
            self.storages[key] = self.storage(kind, key, location, numel)
        require(self.storages[key].type is kind and self.storages[key].array.size == numel,
                f"storage {key} has another type or size than before", Refused)
        return self.storages[key]

    def storage(self, kind: StorageType, key: str, location: str, numel: int) -> Storage:
        """A storage, read from the file. Raises: RuntimeError before anything is read if its size is wrong."""
        dtype, entry = kind.dtype, self.entries.get(f"data/{key}")
        size, expected = entry and entry.file_size, numel * dtype.itemsize
        need(size in (None, expected), "storage_size", size, expected, numel, dtype.itemsize, dtype.scalar_type)
        stored = "u1" if dtype is dtypes.bool else dtype.np.newbyteorder("S") if self.swapped else dtype.np
        array = xp.frombuffer(self.record(f"data/{key}"), stored).astype(dtype.np)
        chosen = self.map_location
        if isinstance(chosen, dict):
            chosen = chosen.get(location)
        elif callable(chosen):  # nearly always `lambda storage, location: storage`
            chosen = "cpu" if chosen(array, location) is array else None
        place = device(location if chosen is None else chosen)
        need(place.type != "cuda" or device_count(), "load_cuda")
        return Storage(move(array, place), kind)


class _Trusting(pickle.Unpickler):
    """Python's own, which imports and calls what a file names; torch's names mean what is here."""

    def find_class(self, module: str, name: str) -> Any:
        return named(module, name) if module.partition(".")[0] == "torch" else super().find_class(module, name)


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
         mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """What `save`, here or in PyTorch, wrote to `f`, a path or an open binary file.

    Only tensors, Parameters and plain containers are made; nothing that a file names is imported or called.
    With `weights_only=False` Python's pickle does whatever the file says, which can be anything, and whole
    modules and optimizers of minigrad come back: for files of your own. `mmap` has no effect.
    Raises: pickle.UnpicklingError for anything else, RuntimeError for a broken file.
    """
    weights_only = pickle_module is None if weights_only is None else weights_only
    need(not weights_only or pickle_module is None, "load_pickle_module")
    require(pickle_module in (None, pickle), "pickle_module must be Python's own pickle", ValueError)
    is_path = isinstance(f, str | os.PathLike)
    require(is_path or not mmap, "f must be a file path in order to use the mmap argument", ValueError)
    with open(f, "rb") if is_path else contextlib.nullcontext(f) as file:
        need(hasattr(file, "seek"), "load_seek", type(file).__name__)
        need(head := file.read(4), "file_at_its_end")
        need(head == b"PK\x03\x04", "legacy_file")
        archive = _Archive(file, map_location)
        code = archive.record("data.pkl")
        if weights_only:
            return Unpickler(code, archive.persistent_load, **pickle_load_args).load()
        unpickler: Any = _Trusting(io.BytesIO(code), **pickle_load_args)
        unpickler.persistent_load = archive.persistent_load
        return unpickler.load()
