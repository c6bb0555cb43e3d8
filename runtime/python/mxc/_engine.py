"""Engines, kernels, launches and memory: mxc/mxc.h with Python's manners."""

import ctypes
import math
import numbers
import os
import struct
from collections import namedtuple
from collections.abc import Iterable
from ctypes import byref, c_int, c_int64, c_void_p

from . import _dlpack, _host, _launch, _library
from ._errors import InvalidInputError, UsageError
from ._formats import BITS, TENSOR_TYPES
from ._library import check, integer, library, sized, text
from ._tensors import Arguments, stream_number, stream_of

Argument = namedtuple("Argument", "name type kind is_output rank")
Argument.__doc__ = "What a kernel takes. kind: 'tensor', 'scalar' or 'workspace', which the runtime provides where it is not given."

_KINDS = ("tensor", "scalar", "workspace")
_TEXT_STAGES = ("mlir", "tile", "nvvm", "llvm", "ptx")
_ELEMENT_BYTES = {name: BITS[name] // 8 for name in TENSOR_TYPES if BITS[name] % 8 == 0}

_NUMBERS = {"f32": "f", "f16": "e", "i32": "i", "i64": "q", "u8": "B"}  # as struct names them


def version():
    return library.mxc_version().decode()


def compile(source, targets=None, stage=None, tile=None, name=None):
    """Compiles MLIR (text, or a file's path) to an image, as bytes, or to a stage that is text, as a str.

    targets: "sm_90a", or several as a list for a fatbin. stage: mlir, tile, nvvm, llvm, ptx, cubin or fatbin.
    tile: as --tile has it, or several of them."""
    content, name = _content(source, name)
    if targets is not None and not isinstance(targets, str):
        targets = ",".join(targets)
    options = sized(
        _library.CompileOptions,
        targets=text(targets, "targets"),
        stage=text(stage, "stage"),
        tile=_tiles(tile),
        name=text(name, "name"),
    )
    output = c_void_p()
    check(library.mxc_compile(content, len(content), byref(options), byref(output)))
    try:
        result = ctypes.string_at(library.mxc_bytes_data(output), library.mxc_bytes_size(output))
    finally:
        library.mxc_bytes_destroy(output)
    return result.decode() if stage in _TEXT_STAGES else result


def _content(source, name):
    if isinstance(source, os.PathLike) or _is_path(source):
        try:
            with open(source, "rb") as file:
                return file.read(), name or os.fsdecode(source)
        except OSError as error:
            raise InvalidInputError(f"cannot read {os.fspath(source)}: {error.strerror}") from None
        except ValueError:  # a NUL
            raise InvalidInputError(f"cannot read {os.fspath(source)!r}: no file has such a name") from None
    if isinstance(source, str):
        try:
            return source.encode(), name
        except UnicodeEncodeError as error:
            raise InvalidInputError(f"mxc: source: expected Unicode text, found {source[error.start]!r} in it") from None
    try:
        return memoryview(source).tobytes(), name
    except TypeError:
        raise TypeError(f"mxc: source: expected a str, bytes or a path object, found {type(source).__name__}") from None


def _is_path(source):
    """Kernels have braces and names with @, PTX has lines; a str without any of these names a file."""
    return isinstance(source, str) and source != "" and not any(sign in source for sign in "{@\n")


def import_tuning(bundle, database=None):
    """Imports what `mxc tune --export` wrote (BASE.json) into a tuning database; None is the user's."""
    check(library.mxc_tuning_import(_path(bundle), _path(database)))


def _path(path):
    return None if path is None else text(os.fsdecode(path), "path")


def _schedule(schedule, sweep):
    if sweep is None or sweep is False:
        return schedule
    if schedule is not None:
        raise UsageError(f"mxc: sweep runs schedules of its own: expected no other, found {schedule}")
    return "sweep" if sweep is True else f"sweep:{integer(sweep, 'sweep', is_signed=False)}"


def _tiles(tile):
    if isinstance(tile, str) or not isinstance(tile, Iterable):
        return text(tile, "tile")
    return b"; ".join(text(part, "tile") for part in tile)


class _Unique:
    def __reduce__(self):  # for copy and pickle: two owners would destroy it twice
        raise TypeError(f"mxc.{type(self).__name__} stands for an object on a device: it can neither be copied nor pickled")


class _Handle(_Unique):
    """Owns an object of the library."""

    _destroy = None

    def __init__(self, handle):
        self._handle = handle

    def __del__(self):
        if getattr(self, "_handle", None):
            type(self)._destroy(self._handle)
            self._handle = None


class _Device(_Handle):
    """The library's engine, which an Engine and its kernels share."""

    _destroy = library.mxc_engine_destroy

    def __init__(self, handle, name):
        super().__init__(handle)
        self.name = name

    def empty(self, type, shape):
        return Tensor(self, type, shape)


class Engine(_Unique):
    """A device, "cuda:0" or "simulator:sm_100a", and the kernels that were loaded on it. Any thread may use it.

    cache: the folder of compiled kernels; None: the user's; "": none. tuning: the same for the database of `mxc tune`.

    How a simulator runs, for every engine of the process on that chip; None: as before. checks: "off", "standard" or "strict", then findings to leave out: "strict,-shared-race".
    schedule: "eager", "lazy" or "random:SEED". sweep: True, or how many random schedules; each launch then runs under these, eager
    and lazy ones, and a difference is an error."""

    def __init__(
        self, device="cuda:0", cache=None, cache_bytes=0, tuning=None, checks=None, schedule=None, sweep=None
    ):
        options = sized(
            _library.EngineOptions,
            cache_folder=_path(cache),
            cache_bytes=integer(cache_bytes, "cache_bytes", is_signed=False),
            warn=_library.warn,
            tuning_file=_path(tuning),
            checks=text(checks, "checks"),
            schedule=text(_schedule(schedule, sweep), "schedule"),
        )
        handle = c_void_p()
        check(library.mxc_engine_create(text(device, "device"), byref(options), byref(handle)))
        self._device, self.device = _Device(handle, device), device

    @property
    def model(self):
        return library.mxc_engine_model(self._device._handle).decode()

    def trim(self):
        """Gives back the device memory that launches took for workspaces; it stays for the next launch otherwise."""
        check(library.mxc_engine_trim(self._device._handle))

    def __repr__(self):
        return f"mxc.Engine({self.device!r})"

    def load(self, source, kernel=None, tile=None, name=None):
        """Loads a kernel from MLIR or an image that mxc compiled: text, bytes, or a file's path (a path object, or a str
        without braces, @ and line breaks)."""
        content, name = _content(source, name)
        options = sized(
            _library.LoadOptions, kernel=text(kernel, "kernel"), tile=_tiles(tile), name=text(name, "name")
        )
        handle = c_void_p()
        try:
            check(library.mxc_kernel_load(self._device._handle, content, len(content), byref(options), byref(handle)))
            return Kernel(handle, self._device)
        finally:
            _library.tell_warnings()

    def empty(self, type, shape):
        """Makes a contiguous tensor in the device's memory, for hosts without a library of tensors."""
        return self._device.empty(type, shape)

    def stream(self):
        handle = c_void_p()
        check(library.mxc_stream_create(self._device._handle, byref(handle)))
        return Stream(handle)


class Kernel(_Handle):
    """A loaded kernel. Calling it checks its arguments and enqueues one launch.

    Arguments go by position, in the order of `arguments`, or by name: numbers, and tensors with __dlpack__ or
    __cuda_array_interface__. Bytes (u8, uint8) are taken for 8-bit elements and scales. Without a stream, the launch goes on
    the current stream of the first tensor's library (torch, CuPy), or on the default stream.

    On a simulator, arrays in the host's memory (NumPy's, torch's on the CPU) are arguments too: they are copied there, and
    outputs back, before the call returns."""

    _destroy = library.mxc_kernel_destroy

    def __init__(self, handle, device):
        super().__init__(handle)
        self._device, self.device = device, device.name
        self.name = library.mxc_kernel_name(handle).decode()
        self.arguments = tuple(self._argument(i) for i in range(library.mxc_kernel_argument_count(handle)))
        self._by_name = {argument.name: argument for argument in self.arguments}
        self._address = handle.value  # of mxc_kernel, as _launch takes it
        self._positions = [argument.name for argument in self.arguments if argument.kind != "workspace"]

    def __repr__(self):
        return f"<mxc.Kernel {self.name}({', '.join(f'{a.name}: {a.type}' for a in self.arguments if a.kind != 'workspace')}) on {self.device}>"

    def _argument(self, index):
        info = sized(_library.ArgumentInfo)
        check(library.mxc_kernel_argument(self._handle, index, byref(info)))
        return Argument(info.name.decode(), info.type.decode(), _KINDS[info.kind], bool(info.is_output), info.rank)

    def type_of(self, name):
        return self._by_name[name].type if name in self._by_name else ""

    def is_output(self, name):
        return name in self._by_name and self._by_name[name].is_output

    def memory(self, type, shape):
        """Makes a tensor on the kernel's device."""
        return self._device.empty(type, shape)

    def _named(self, positional, named, names=None):
        names = self._positions if names is None else names
        if len(positional) > len(names):
            raise UsageError(f"kernel '{self.name}' takes {len(names)} arguments ({', '.join(names)}), found {len(positional)}")
        values = dict(zip(names, positional))
        for name, value in named.items():
            if name in values:
                raise UsageError(f"kernel '{self.name}': argument '{name}' is given twice")
            values[name] = value
        return values

    def _arguments(self, values, purpose, stream=None):
        number = stream_of(values.values(), stream)
        return Arguments(self, values, number, purpose), number

    def __call__(self, *positional, stream=None, pdl=False, **named):
        if named or not self._enqueue(positional, stream, pdl):
            self.launch(self._named(positional, named), stream, pdl)

    def _enqueue(self, values, stream=None, pdl=False):
        """Launches by libmxc's own way. False, without a launch: it does not understand something."""
        if stream is not None:
            stream = stream_number(stream)
        status = _launch.launch(self._address, stream, pdl, *values)
        if status > 0:
            check(status)
        return status == 0

    def launch(self, arguments, stream=None, pdl=False):
        """Launches with arguments in a mapping, whatever their names are."""
        if len(arguments) == len(self._positions):
            try:
                values = [arguments[name] for name in self._positions]
            except KeyError:
                pass
            else:
                if self._enqueue(values, stream, pdl):
                    return
        given, number = self._arguments(arguments, "launch", stream)
        options = sized(_library.LaunchOptions, stream=number, pdl=pdl)
        check(library.mxc_kernel_launch(self._handle, given.structs, len(given.structs), byref(options)))
        given.copy_back()

    def apply(self, *inputs, stream=None, pdl=False, **named):
        """Launches on the inputs, by position or by name, and returns the outputs: one, or a tuple of several. Those that are not
        given by name are new tensors of the device's memory."""
        names = [argument.name for argument in self.arguments if argument.kind != "workspace" and not argument.is_output]
        values = self._named(inputs, named, names)
        outputs = {argument.name: argument.type for argument in self.arguments if argument.is_output}
        for name, type in outputs.items():
            if name not in values:
                shape = self.shape(name, **{known: value for known, value in values.items() if known not in outputs})
                values[name] = self.memory(type, shape)
        self.launch(values, stream, pdl)
        results = tuple(values[name] for name in outputs)
        return results[0] if len(results) == 1 else results

    def prepare(self, *positional, pdl=False, **named):
        """Returns a checked launch to repeat on the same tensors, which must stay where they are."""
        given, _ = self._arguments(self._named(positional, named), "prepare")
        options, handle = sized(_library.LaunchOptions, pdl=pdl), c_void_p()
        check(library.mxc_kernel_prepare(self._handle, given.structs, len(given.structs), byref(options), byref(handle)))
        return Launch(handle, self, given)

    def shape(self, argument, *positional, **named):
        """Returns the shape that `argument` must have when the others are given; outputs may be missing."""
        names = [known.name for known in self.arguments]
        if argument not in names:
            raise UsageError(f"kernel '{self.name}' has no argument '{argument}': it has {', '.join(self._positions)}")
        given, _ = self._arguments(self._named(positional, named), "shape")
        sizes, rank = (c_int64 * _library.MAXIMUM_RANK)(), c_int()
        index, count = names.index(argument), len(given.structs)
        check(library.mxc_kernel_shape(self._handle, given.structs, count, index, sizes, byref(rank)))
        return tuple(sizes[: rank.value])


class Launch(_Handle):
    """A prepared launch. Calling it enqueues it; without a stream it goes where a call of the kernel would."""

    _destroy = library.mxc_launch_destroy

    def __init__(self, handle, kernel, arguments):
        super().__init__(handle)
        self._kernel, self._arguments = kernel, arguments  # the tensors stay where they are
        self._address = handle.value  # of mxc_launch, as _launch takes it
        self._first = next((value for value in arguments.values if not isinstance(value, numbers.Real)), None)

    def __call__(self, stream=None):
        if stream is not None:
            stream = stream_number(stream)
        status = _launch.repeat(self._address, stream, self._first)
        if status:
            if status < 0:  # nobody in C knows the tensor's library
                status = library.mxc_launch_enqueue(self._handle, stream_of(self._arguments.values, stream))
            check(status)


class Stream(_Handle):
    """A stream that mxc owns."""

    _destroy = library.mxc_stream_destroy

    @property
    def handle(self):
        return library.mxc_stream_handle(self._handle)

    def synchronize(self):
        check(library.mxc_stream_synchronize(self._handle))


def _nested(numbers, shape):
    return [_nested(numbers, shape[1:]) for _ in range(shape[0])] if shape else next(numbers)


class Tensor(_Handle):
    """Contiguous device memory that mxc owns, for libraries that take DLPack."""

    _destroy = library.mxc_buffer_destroy

    def __init__(self, engine, type, shape):
        device = getattr(engine, "_device", engine)
        if type not in _ELEMENT_BYTES:
            raise UsageError(f"a tensor of type {type!r}: expected {', '.join(_ELEMENT_BYTES)}")
        self.device, self.type = device.name, type
        self.shape = tuple(integer(size, "a tensor's size") for size in shape)
        if len(self.shape) > _library.MAXIMUM_RANK or any(size < 0 for size in self.shape):
            raise InvalidInputError(f"a tensor of shape {self.shape}: expected up to {_library.MAXIMUM_RANK} sizes from 0")
        self.nbytes = integer(math.prod(self.shape) * _ELEMENT_BYTES[type], f"bytes of a tensor of shape {self.shape}")
        handle = c_void_p()
        check(library.mxc_buffer_create(device._handle, self.nbytes, byref(handle)))
        super().__init__(handle)

    def __repr__(self):
        return f"<mxc.Tensor {self.type}{list(self.shape)} on {self.device}>"

    @property
    def dtype(self):
        """Its elements' type by the name that kernels have for it: "bf16", "e4m3"."""
        return self.type

    @property
    def address(self):
        return library.mxc_buffer_address(self._handle)

    def upload(self, content):
        """Copies all of the tensor from the host: from bytes, a NumPy array, or an object with the buffer protocol. It waits for
        the default stream alone: launches on others that still read the tensor must be done."""
        source = content.tobytes() if _host.is_numpy(content) else memoryview(content).tobytes()
        if len(source) != self.nbytes:
            raise InvalidInputError(f"a tensor of {self.nbytes} bytes cannot take {len(source)}")
        check(library.mxc_buffer_upload(self._handle, 0, source, len(source)))
        return self

    def download(self):
        """Copies to the host, after waiting for all work on the device: an error while a stream captures."""
        content = ctypes.create_string_buffer(self.nbytes)
        check(library.mxc_buffer_download(self._handle, 0, content, self.nbytes))
        return content.raw

    def tolist(self):
        """Copies to the host as nested lists of numbers, where Python has numbers of the type: f32, f16, i32, i64, u8."""
        if self.type not in _NUMBERS:
            raise UsageError(f"a tensor of type '{self.type}' as a list: expected {', '.join(_NUMBERS)}")
        numbers = struct.iter_unpack("<" + _NUMBERS[self.type], self.download())
        return _nested((number for (number,) in numbers), self.shape)

    def numpy(self, dtype=None):
        """Copies to the host as a NumPy array, after waiting as download does. NumPy's own types need NumPy alone; bf16, e4m3, e5m2
        and ue8m0 are the types of the package ml_dtypes, or what `dtype` says of the same size ("uint8")."""
        return _host.to_numpy(self.download(), self.type, self.shape, dtype)

    def __array__(self, dtype=None, copy=None):
        """NumPy's way to what numpy() returns."""
        if copy is False:
            raise ValueError("mxc.Tensor lies in a device's memory: NumPy gets a copy, expected copy=None or True")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype)

    def __dlpack_device__(self):
        kind, _, name = self.device.partition(":")
        number = int("".join(filter(str.isdigit, name)))  # a simulator's is its chip's, 90 for sm_90a
        return _dlpack.CUDA if kind == "cuda" else _dlpack.EXTENSION, number

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if not max_version or max_version[0] < 1:
            raise BufferError("mxc.Tensor is exported as DLPack 1.0 or newer: ask with max_version=(1, 0)")
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("mxc.Tensor is exported where it lies, and not as a copy")
        sizes, tensor = (c_int64 * max(len(self.shape), 1))(*self.shape), c_void_p()
        check(
            library.mxc_buffer_to_dlpack(self._handle, self.type.encode(), len(self.shape), sizes, byref(tensor))
        )
        return _dlpack.capsule(tensor.value)

