"""Arrays in the host's memory, NumPy's and torch's, as a simulator's kernels take them: as bytes that are copied there and back.
Neither library is imported here: who has such an array has imported it.
"""

import ctypes
import sys

from ._errors import InvalidInputError, UsageError
from ._formats import DTYPES, TYPES

_ALIGNMENT = 256  # bytes: where allocations of a device begin


def is_numpy(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


class NumpyArray:
    """It goes to the simulator side by side, however its elements lie."""

    offset, strides = 0, None

    def __init__(self, where, array):
        if array.dtype.str[0] == ">":
            raise InvalidInputError(f"{where}of {array.dtype.str}: expected little endian")
        self._where, self._array, self.shape = where, array, array.shape
        self.type = TYPES.get(array.dtype.name, "")  # "": perhaps bytes without a meaning
        self.unnamed_bits = array.dtype.itemsize * 8 if array.dtype.name.startswith(("uint", "void")) else 0

    def name(self):
        return str(self._array.dtype)

    def content(self):
        return self._array.tobytes()

    def require_writable(self):
        if not self._array.flags.writeable:
            raise InvalidInputError(f"{self._where}may only be read, but the kernel writes it")

    def take(self, content):
        numpy = sys.modules["numpy"]
        self._array[...] = numpy.frombuffer(content, self._array.dtype).reshape(self.shape)


class TorchTensor:
    """Its memory goes to the simulator as it lies, gaps between elements included, at the same place in 256 bytes that it would have on
    a GPU, whose allocations begin at multiples of these: strides and misaligned addresses are seen as there."""

    unnamed_bits = 8

    def __init__(self, where, tensor, type_name):
        self._tensor, self.shape, self.type, self.strides = tensor, tuple(tensor.shape), type_name, tensor.stride()
        size = tensor.element_size()
        last = sum((length - 1) * step for length, step in zip(self.shape, self.strides))
        self._bytes = (last + 1) * size if tensor.numel() else 0
        self.offset = tensor.storage_offset() * size % _ALIGNMENT

    def name(self):
        return str(self._tensor.dtype)

    def content(self):
        return ctypes.string_at(self._tensor.data_ptr(), self._bytes) if self._bytes else b""

    def require_writable(self):
        pass

    def take(self, content):
        if not self._bytes:
            return
        if self._tensor.is_contiguous():
            ctypes.memmove(self._tensor.data_ptr(), content, self._bytes)
            return
        torch = sys.modules["torch"]  # other tensors may lie in the gaps
        bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[self._tensor.element_size()]
        written = torch.frombuffer(bytearray(content), dtype=bits).as_strided(self.shape, self.strides)
        self._tensor.detach().view(bits).copy_(written)


def to_numpy(content, type, shape, dtype):
    """A tensor's bytes as a NumPy array of its own, of a dtype that the caller names or of the type's."""
    try:
        import numpy
    except ImportError:
        raise UsageError("mxc.Tensor.numpy: expected the package numpy to be installed; download() gives bytes") from None
    if dtype is None:
        dtype = _dtype(numpy, type)
    return numpy.frombuffer(bytearray(content), dtype).reshape(shape)


def _dtype(numpy, type):
    name = DTYPES[type]
    if hasattr(numpy, name):
        return getattr(numpy, name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            f"mxc.Tensor.numpy: NumPy has no {type}: expected the package ml_dtypes to be installed, or a dtype for the bits, as in "
            f"numpy('uint{16 if type == 'bf16' else 8}')"
        ) from None
    return getattr(ml_dtypes, name)
