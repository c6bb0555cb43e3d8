"""The C structs of a kernel's arguments, filled once and used again: what changes from call to call are addresses, sizes and
strides. The library checks them as it checks every launch."""

import ctypes

import torch

from .. import _library
from .._library import check, library, sized

_DTYPES = {
    "bf16": (torch.bfloat16,),
    "f16": (torch.float16,),
    "f32": (torch.float32,),
    "e4m3": (torch.float8_e4m3fn, torch.uint8),
    "e5m2": (torch.float8_e5m2, torch.uint8),
    "ue8m0": (torch.float8_e8m0fnu, torch.uint8),
}
_SIZE = ctypes.sizeof(ctypes.c_int64)


class _Frame:
    def __init__(self, arguments):
        self.structs = (_library.Argument * len(arguments))()
        self.sizes = (ctypes.c_int64 * (2 * sum(argument.rank for argument in arguments)))()
        self.options = sized(_library.LaunchOptions)
        self.reference = ctypes.byref(self.options)
        place = ctypes.addressof(self.sizes)
        for struct, argument in zip(self.structs, arguments):
            struct.struct_size, struct.value = ctypes.sizeof(_library.Argument), _library.VALUE_TENSOR
            struct.name, struct.type, struct.rank = argument.name.encode(), argument.type.encode(), argument.rank
            for member in ("shape", "strides"):
                setattr(struct, member, ctypes.cast(place, ctypes.POINTER(ctypes.c_int64)))
                place += argument.rank * _SIZE


class Frames:
    """Of one kernel. A launch takes a frame that no other thread has, and gives it back."""

    def __init__(self, kernel, device):
        self._kernel, self._device, self._free = kernel, device, []
        self._arguments = [argument for argument in kernel.arguments if argument.kind != "workspace"]
        self._expected = [(argument.rank, _DTYPES[argument.type]) for argument in self._arguments]

    def launch(self, tensors, stream):
        """False, without a launch, where a tensor is not what the frame says."""
        values, addresses, device = [], [], self._device
        if len(tensors) != len(self._expected):
            return False
        for tensor, (rank, dtypes) in zip(tensors, self._expected):
            shape = tensor.shape
            if len(shape) != rank or tensor.dtype not in dtypes or tensor.device != device:
                return False
            values += shape
            values += tensor.stride()
            addresses.append(tensor.data_ptr())
        try:
            frame = self._free.pop()
        except IndexError:
            frame = _Frame(self._arguments)
        frame.sizes[:] = values
        structs = frame.structs
        for i, address in enumerate(addresses):
            structs[i].address = address
        frame.options.stream = stream
        status = library.mxc_kernel_launch(self._kernel._handle, structs, len(structs), frame.reference)
        self._free.append(frame)
        check(status)
        return True
