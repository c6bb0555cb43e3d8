"""libmxc's own way from tensors to a launch: it reads them through DLPack's C interface (__dlpack_c_exchange_api__, DLPack 1.2),
without Python's code in between. Tensors of other libraries and other versions go the way of _tensors.
"""

import ctypes
import functools
import sys

from ._dlpack import exchange_api
from ._library import library

NOT_UNDERSTOOD = -1


def _launcher():
    make = ctypes.PYFUNCTYPE(ctypes.py_object)(("mxc_python_launcher", library))
    try:
        return make()
    except ValueError:  # NULL: this interpreter's functions are not where libraries find them
        return lambda *_: NOT_UNDERSTOOD


# launch(kernel, stream, pdl, *values): the kernel's address, a stream's number or None for the current one of the tensors'
# library, 0 or 1, the arguments in their order. A status, or NOT_UNDERSTOOD, and then nothing has happened.
launch = _launcher()

_add = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(("mxc_python_add_tensor_type", library))


def add_tensor_type(type):
    """Lets launch take tensors of exactly that type, if it has DLPack's C interface. Subclasses may be anything."""
    address = exchange_api(type)
    return address is not None and bool(_add(type, address))


@functools.lru_cache(maxsize=None)
def add_torch():
    torch = sys.modules["torch"]
    for type in (torch.Tensor, torch.nn.Parameter):
        add_tensor_type(type)
