"""DLPack's capsules through ctypes: borrowed for a call, and made from what libmxc returns."""

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object, pythonapi

from ._errors import InvalidInputError
from ._library import library

CPU, CUDA, EXTENSION, CUDA_MANAGED = 1, 2, 12, 13  # kinds of devices; a simulator is an extension: nobody takes it for a GPU
LEGACY_STREAM = 1  # the default stream's number

_VERSIONED, _PLAIN = b"dltensor_versioned", b"dltensor"  # the names of capsules


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Managed(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, c_void_p)),
        ("flags", c_uint64),
        ("tensor", _Tensor),
    ]


def _function(name, result, *parameters):
    return ctypes.PYFUNCTYPE(result, *parameters)((name, pythonapi))


_name = _function("PyCapsule_GetName", c_char_p, py_object)
_pointer = _function("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
_new = _function("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
_function("Py_IncRef", None, py_object)(_VERSIONED)  # capsules point to it, at the interpreter's exit too


def exchange_api(type):
    """The address of the type's DLPackExchangeAPI; None: it has none."""
    capsule = getattr(type, "__dlpack_c_exchange_api__", None)
    return _pointer(capsule, b"dlpack_exchange_api") if capsule is not None else None


def borrow(value, stream):
    """Returns the address of the value's DLManagedTensorVersioned, and what must live as long as it is used. The value's
    library is asked to have it ready on `stream`."""
    is_cuda = value.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED)
    asked = {"stream": stream or LEGACY_STREAM} if is_cuda else {}
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **asked)
    except TypeError:  # a library older than version 1
        capsule = value.__dlpack__(**asked)
    name = _name(capsule) if type(capsule).__name__ == "PyCapsule" else None
    if name not in (_VERSIONED, _PLAIN):  # one that was used, too: its tensor may be gone
        found = f"a capsule named {name.decode(errors='replace')!r}" if name else f"{type(capsule).__name__}"
        raise InvalidInputError(f"__dlpack__ of {type(value).__name__}: expected a capsule with a tensor, found {found}")
    address = _pointer(capsule, name)
    if name != _PLAIN:
        return address, capsule
    wrapped = _Managed(1, 0, tensor=_Tensor.from_address(address))  # without a version its _Tensor comes first
    return ctypes.addressof(wrapped), (wrapped, capsule)


def _address(function):
    return ctypes.cast(function, c_void_p)


# C code, because a capsule may die after the interpreter's exit has taken this module and what it needs to run.
_destructor = library.mxc_python_capsule_destructor(
    _address(pythonapi.PyCapsule_IsValid), _address(pythonapi.PyCapsule_GetPointer)
)


def capsule(address):
    """Owns the DLManagedTensorVersioned at that address until somebody takes it."""
    return _new(address, _VERSIONED, _destructor)
