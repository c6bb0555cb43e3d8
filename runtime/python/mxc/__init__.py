"""Microscaling (MX) kernels for NVIDIA GPUs: compiled from MLIR, launched on the tensors of torch, CuPy, JAX and others.

    import mxc
    kernel = mxc.Engine("cuda:0").load(pathlib.Path("quantize.mlir"))
    kernel(x=x, q=q, s=s)  # on the caller's current stream

`mxc.torch` has operators of torch, `mxc.jax` functions of JAX; they are imported when they are first used. Everything else needs Python alone.
"""

from . import sources
from ._engine import Argument, Engine, Kernel, Launch, Stream, Tensor, compile, import_tuning, version
from ._errors import DeviceError, Error, InternalError, InvalidInputError, MxcWarning, OutOfMemoryError, UsageError

__all__ = [
    "Argument",
    "DeviceError",
    "Engine",
    "Error",
    "InternalError",
    "InvalidInputError",
    "Kernel",
    "Launch",
    "MxcWarning",
    "OutOfMemoryError",
    "Stream",
    "Tensor",
    "UsageError",
    "compile",
    "import_tuning",
    "version",
]
__version__ = version()


def __getattr__(name):
    if name in ("jax", "torch"):
        import importlib

        return importlib.import_module(f"mxc.{name}")
    raise AttributeError(f"module 'mxc' has no attribute '{name}'")
