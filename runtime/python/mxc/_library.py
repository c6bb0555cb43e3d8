"""libmxc through ctypes: the structs and functions of mxc/mxc.h.

tests/python/binding.test holds the structs against the header. The library lies beside this file; MXC_LIBRARY names another.
"""

import ctypes
import operator
import os
import threading
import warnings
from ctypes import POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

from ._errors import BY_STATUS, InternalError, InvalidInputError, MxcWarning, UsageError

API_VERSION = 1
MAXIMUM_RANK = 5


class EngineOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("cache_folder", c_char_p),
        ("cache_bytes", c_uint64),
        ("warn", ctypes.CFUNCTYPE(None, c_void_p, c_char_p)),
        ("warn_context", c_void_p),
        ("tuning_file", c_char_p),
        ("checks", c_char_p),
        ("schedule", c_char_p),
    ]


class LoadOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("kernel", c_char_p), ("tile", c_char_p), ("name", c_char_p)]


class ArgumentInfo(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("type", c_char_p),
        ("kind", c_int),
        ("is_output", c_int),
        ("rank", c_int),
    ]


class Argument(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("value", c_int),
        ("type", c_char_p),
        ("address", c_uint64),
        ("rank", c_int),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("dlpack", c_void_p),
        ("integer", c_int64),
        ("real", c_double),
    ]


class LaunchOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("stream", c_void_p), ("pdl", c_int)]


class CompileOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("targets", c_char_p),
        ("stage", c_char_p),
        ("tile", c_char_p),
        ("name", c_char_p),
    ]


VALUE_TENSOR, VALUE_DLPACK, VALUE_INTEGER, VALUE_REAL = range(4)

_STATUS = c_int
_FUNCTIONS = {
    "mxc_version": (c_char_p, []),
    "mxc_api_version": (c_int, []),
    "mxc_has_compiler": (c_int, []),
    "mxc_last_error": (c_char_p, []),
    "mxc_formats": (c_char_p, []),
    "mxc_engine_create": (_STATUS, [c_char_p, POINTER(EngineOptions), POINTER(c_void_p)]),
    "mxc_engine_destroy": (None, [c_void_p]),
    "mxc_engine_trim": (_STATUS, [c_void_p]),
    "mxc_tuning_import": (_STATUS, [c_char_p, c_char_p]),
    "mxc_engine_model": (c_char_p, [c_void_p]),
    "mxc_kernel_load": (_STATUS, [c_void_p, c_char_p, c_size_t, POINTER(LoadOptions), POINTER(c_void_p)]),
    "mxc_kernel_load_file": (_STATUS, [c_void_p, c_char_p, POINTER(LoadOptions), POINTER(c_void_p)]),
    "mxc_kernel_destroy": (None, [c_void_p]),
    "mxc_kernel_name": (c_char_p, [c_void_p]),
    "mxc_kernel_argument_count": (c_size_t, [c_void_p]),
    "mxc_kernel_argument": (_STATUS, [c_void_p, c_size_t, POINTER(ArgumentInfo)]),
    "mxc_kernel_shape": (
        _STATUS,
        [c_void_p, POINTER(Argument), c_size_t, c_size_t, POINTER(c_int64), POINTER(c_int)],
    ),
    "mxc_kernel_launch": (_STATUS, [c_void_p, POINTER(Argument), c_size_t, POINTER(LaunchOptions)]),
    "mxc_kernel_prepare": (
        _STATUS,
        [c_void_p, POINTER(Argument), c_size_t, POINTER(LaunchOptions), POINTER(c_void_p)],
    ),
    "mxc_launch_enqueue": (_STATUS, [c_void_p, c_void_p]),
    "mxc_launch_destroy": (None, [c_void_p]),
    "mxc_buffer_create": (_STATUS, [c_void_p, c_size_t, POINTER(c_void_p)]),
    "mxc_buffer_destroy": (None, [c_void_p]),
    "mxc_buffer_address": (c_uint64, [c_void_p]),
    "mxc_buffer_bytes": (c_size_t, [c_void_p]),
    "mxc_buffer_upload": (_STATUS, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "mxc_buffer_download": (_STATUS, [c_void_p, c_size_t, c_void_p, c_size_t]),
    "mxc_buffer_to_dlpack": (_STATUS, [c_void_p, c_char_p, c_int, POINTER(c_int64), POINTER(c_void_p)]),
    "mxc_stream_create": (_STATUS, [c_void_p, POINTER(c_void_p)]),
    "mxc_stream_destroy": (None, [c_void_p]),
    "mxc_stream_handle": (c_void_p, [c_void_p]),
    "mxc_stream_synchronize": (_STATUS, [c_void_p]),
    "mxc_compile": (_STATUS, [c_char_p, c_size_t, POINTER(CompileOptions), POINTER(c_void_p)]),
    "mxc_bytes_data": (c_void_p, [c_void_p]),
    "mxc_bytes_size": (c_size_t, [c_void_p]),
    "mxc_bytes_destroy": (None, [c_void_p]),
    "mxc_python_capsule_destructor": (c_void_p, [c_void_p, c_void_p]),
    "mxc_python_launcher": (c_void_p, []),
    "mxc_python_repeater": (c_void_p, []),
    "mxc_python_add_tensor_type": (c_int, [c_void_p, c_void_p]),
}


def _load():
    path = os.environ.get("MXC_LIBRARY") or os.path.join(os.path.dirname(__file__), "libmxc.so.0")
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"mxc: cannot load {path}: {error}") from None
    for name, (result, parameters) in _FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"mxc: {path} has no {name}: it is another version's")
        function.restype, function.argtypes = result, parameters
    if library.mxc_api_version() < API_VERSION:
        raise ImportError(f"mxc: {path} has version {library.mxc_api_version()} of the interface, expected {API_VERSION}")
    return library


library = _load()


def check(status):
    if status:
        raise BY_STATUS.get(status, InternalError)(library.mxc_last_error().decode(errors="replace"))


def text(value, what):
    """Returns a str, or None, as C takes it. Messages call it `what`."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"mxc: {what}: expected a str, found {type(value).__name__}")
    if "\0" in value:  # where C's text ends
        raise UsageError(f"mxc: {what} has a NUL in it: {value!r}")
    try:
        return value.encode(errors="surrogateescape")
    except UnicodeEncodeError as error:
        raise UsageError(f"mxc: {what}: expected Unicode text, found {value[error.start]!r} in {value!r}") from None


def integer(value, what, bits=64, is_signed=True):
    """Returns an integer that fits C's type: ctypes silently truncates others."""
    number = operator.index(value)
    least, end = (-(1 << bits - 1), 1 << bits - 1) if is_signed else (0, 1 << bits)
    if not least <= number < end:
        raise InvalidInputError(f"{what}: expected {least} to {end - 1}, found {number}")
    return number


def sized(struct, **members):
    result = struct(**members)
    result.struct_size = ctypes.sizeof(struct)
    return result


class _Pending(threading.local):
    def __init__(self):
        self.texts = []


_pending = _Pending()


@ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
def warn(_context, message):  # nothing can be raised through C
    _pending.texts.append(message.decode(errors="replace"))


def tell_warnings():
    """Raises the warnings of the library's last call on this thread, at the caller's caller."""
    texts, _pending.texts = _pending.texts, []
    for message in texts:
        warnings.warn(message, MxcWarning, stacklevel=3)
