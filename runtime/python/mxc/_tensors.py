"""Objects with tensors in device memory as mxc's arguments: torch's by their own members, others by DLPack or by
__cuda_array_interface__. Nothing is copied but, for a simulator, arrays in the host's memory; nothing but the standard library
is imported.
"""

import ctypes
import numbers
import sys
from ctypes import c_int64

from . import _dlpack, _host, _launch, _library
from ._errors import InvalidInputError, UsageError
from ._formats import BITS, TENSOR_TYPES, TYPES
from ._library import integer, text

_TORCH_TYPES = {f"torch.{dtype}": name for dtype, name in TYPES.items()}
_TORCH_TYPES["torch.float4_e2m1fn_x2"] = "e2m1"  # a pair of elements, whose shape and strides count bytes
_ARRAY_TYPES = {"f2": "f16", "f4": "f32", "f8": "f64", "i4": "i32", "i8": "i64", "u1": "u8"}
_BITS = {name: BITS[name] for name in (*TENSOR_TYPES, "u8") if name == "u8" or name not in _ARRAY_TYPES.values()}  # arrays have no name for these


def _is_torch(value):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def stream_of(values, stream):
    """Returns the number of the stream to launch on: the given one, or the current one of the first tensor's library."""
    if stream is not None:
        return stream_number(stream)
    for value in values:
        if _is_torch(value):
            return sys.modules["torch"].cuda.current_stream(value.device).cuda_stream if value.is_cuda else 0
        cupy = sys.modules.get("cupy")
        if cupy is not None and isinstance(value, cupy.ndarray):
            return cupy.cuda.get_current_stream().ptr
        if not hasattr(value, "__dlpack__"):
            announced = (getattr(value, "__cuda_array_interface__", None) or {}).get("stream")
            if announced is not None:
                return stream_number(announced)
    return 0


def stream_number(stream):
    if type(stream) is int and 0 <= stream < 1 << 64:
        return stream
    try:
        return integer(_as_number(stream), "stream", is_signed=False)
    except TypeError:
        raise UsageError(
            f"stream: expected a number or a stream of torch, CuPy, cuda.core or mxc, found {type(stream).__name__}"
        ) from None


def _as_number(stream):
    if hasattr(stream, "__cuda_stream__"):
        return stream.__cuda_stream__()[1] if callable(stream.__cuda_stream__) else stream.__cuda_stream__[1]
    for member in ("cuda_stream", "ptr", "handle"):
        if isinstance(getattr(stream, member, None), int):
            return getattr(stream, member)
    return stream


class Arguments:
    """The C structs of a call and what they point to, which must live as long as they are used. For a launch on a simulator,
    arrays in the host's memory are copied to its own, and what the kernel writes comes back by copy_back."""

    def __init__(self, kernel, values, stream, purpose):
        self._purpose, self._copies = purpose, []  # purpose: "launch", "prepare" or "shape"
        self.structs = (_library.Argument * len(values))()
        self.values = tuple(values.values())
        self._kept = []
        for struct, (name, value) in zip(self.structs, values.items()):
            struct.struct_size = ctypes.sizeof(_library.Argument)
            struct.name = text(name, "the name of an argument")
            self._fill(struct, kernel, name, value, stream)

    def copy_back(self):
        """Waits for the launch if it takes arrays in the host's memory: its copies are gone after this call."""
        written = [copy for copy in self._copies if copy[2]] or self._copies[:1]
        for host, memory, is_output in written:
            content = memory.download()[host.offset :]
            if is_output:
                host.take(content)

    def _fill(self, struct, kernel, name, value, stream):
        if isinstance(value, numbers.Integral):  # NumPy's among them
            where = f"kernel '{kernel.name}': argument '{name}'"
            struct.value, struct.integer = _library.VALUE_INTEGER, integer(value, where)
        elif isinstance(value, numbers.Real):
            struct.value, struct.real = _library.VALUE_REAL, float(value)
        elif kernel.device.startswith("simulator:") and (host := _host_array(kernel, name, value)):
            self._fill_from_host(struct, kernel, name, host)
        elif _is_torch(value):
            self._fill_from_torch(struct, kernel, name, value)
        elif hasattr(value, "__dlpack__"):
            _require_device_memory(kernel, name, value)
            self._fill_from_dlpack(struct, value, stream)
        elif hasattr(value, "__cuda_array_interface__"):
            self._fill_from_array(struct, f"kernel '{kernel.name}': argument '{name}': array ", kernel, name, value)
        else:
            raise InvalidInputError(
                f"kernel '{kernel.name}': argument '{name}' is of type {type(value).__name__}: expected a number, or a tensor with "
                "__dlpack__ or __cuda_array_interface__"
            )

    def _fill_tensor(self, struct, where, type_name, address, shape, strides):
        struct.value, struct.type = _library.VALUE_TENSOR, type_name.encode()
        struct.address = integer(address, where + "address", is_signed=False)
        struct.rank = len(shape)
        sizes = (c_int64 * max(len(shape), 1))(*(integer(size, where + "size") for size in shape))
        struct.shape = sizes
        self._kept.append(sizes)
        if strides is not None:
            if len(strides) != len(shape):
                raise InvalidInputError(f"{where}whose strides {tuple(strides)} do not belong to shape {tuple(shape)}")
            steps = (c_int64 * max(len(shape), 1))(*(integer(step, where + "stride") for step in strides))
            struct.strides = steps
            self._kept.append(steps)

    def _fill_from_torch(self, struct, kernel, name, tensor):
        _launch.add_torch()  # libmxc takes the next call
        where = f"kernel '{kernel.name}': argument '{name}': torch tensor "
        if str(tensor.device) != kernel.device:
            raise InvalidInputError(f"{where}on {tensor.device}: expected {kernel.device}")
        type_name = _TORCH_TYPES.get(str(tensor.dtype))
        if type_name is None:
            raise InvalidInputError(f"{where}of {tensor.dtype}: no kernel takes these")
        self._fill_tensor(
            struct, where, _as_kernels(kernel, name, type_name), tensor.data_ptr(), tuple(tensor.shape), tensor.stride()
        )

    def _fill_from_host(self, struct, kernel, name, host):
        where = f"kernel '{kernel.name}': argument '{name}': array "
        type_name = _as_kernels(kernel, name, host.type, host.unnamed_bits) if host.unnamed_bits else host.type
        if not type_name:
            raise InvalidInputError(f"{where}of {host.name()}: no kernel takes these")
        if self._purpose == "prepare":
            raise UsageError(
                f"{where}in the host's memory: a prepared launch repeats on tensors of {kernel.device}; Engine.empty makes them"
            )
        if self._purpose == "shape":
            self._fill_tensor(struct, where, type_name, 0, host.shape, host.strides)
            return
        is_output = kernel.is_output(name)
        if is_output:
            host.require_writable()
        content = host.content()
        memory = kernel.memory("u8", (host.offset + len(content),))
        if content:
            memory.upload(bytes(host.offset) + content)
        self._copies.append((host, memory, is_output))
        self._fill_tensor(struct, where, type_name, memory.address + host.offset, host.shape, host.strides)

    def _fill_from_dlpack(self, struct, value, stream):
        struct.value = _library.VALUE_DLPACK
        struct.dlpack, kept = _dlpack.borrow(value, stream)
        self._kept.append(kept)

    def _fill_from_array(self, struct, where, kernel, name, value):
        interface = value.__cuda_array_interface__
        try:
            typestr, shape, (address, read_only) = interface["typestr"], interface["shape"], interface["data"]
            order, item, size = typestr[0], typestr[1:], int(typestr[2:])
        except (KeyError, IndexError, TypeError, ValueError):
            raise InvalidInputError(f"{where}whose __cuda_array_interface__ is none: {interface}") from None
        if interface.get("mask") is not None:
            raise InvalidInputError(f"{where}with a mask: no kernel takes these")
        if order == ">":
            raise InvalidInputError(f"{where}of {typestr}: expected little endian")
        if read_only and kernel.is_output(name):
            raise InvalidInputError(f"{where}may only be read, but the kernel writes it")
        type_name = _ARRAY_TYPES.get(item, "")
        if item[0] in "uV":  # bytes without a meaning take the kernel's
            type_name = _as_kernels(kernel, name, type_name, size * 8)
        if not type_name:
            raise InvalidInputError(f"{where}of {typestr}: no kernel takes these")
        strides = interface.get("strides")
        if strides is not None:
            if any(step % size for step in strides):
                raise InvalidInputError(f"{where}has strides of {tuple(strides)} bytes: expected whole elements of {size}")
            strides = [step // size for step in strides]
        self._fill_tensor(struct, where, type_name, address or 0, shape, strides)


def _host_array(kernel, name, value):
    """What copies an array of the host's to a simulator; None: it is something else."""
    where = f"kernel '{kernel.name}': argument '{name}': "
    if _host.is_numpy(value):
        return _host.NumpyArray(where + "array ", value)
    if _is_torch(value) and value.device.type == "cpu":
        return _host.TorchTensor(where + "torch tensor ", value, _TORCH_TYPES.get(str(value.dtype), ""))
    return None


def _require_device_memory(kernel, name, value):
    """Arrays in the host's memory (NumPy's) are told by their type, not by DLPack's numbers."""
    where = getattr(value, "__dlpack_device__", None)
    if where is not None and where()[0] == _dlpack.CPU:
        kind = type(value)
        raise InvalidInputError(
            f"kernel '{kernel.name}': argument '{name}' is a {kind.__module__}.{kind.__qualname__} in the host's memory: expected a "
            f"tensor in the memory of {kernel.device}"
        )


def _as_kernels(kernel, name, type_name, bits=8):
    """Bytes (u8, or types without a name) take the type of the kernel's argument if the sizes agree. Pairs of e2m1 are bytes for an
    argument of e2m1."""
    if type_name not in ("", "u8", "e2m1"):
        return type_name
    asked = kernel.type_of(name)
    if type_name == "e2m1":
        if asked != "e2m1":
            raise InvalidInputError(f"kernel '{kernel.name}': argument '{name}': pairs of e2m1: expected {asked}")
        return "u8"
    return asked if _BITS.get(asked) == bits else type_name
