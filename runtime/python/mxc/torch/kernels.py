"""What the operators share: names of types, the engines, and a launch on tensors of a GPU or, on a simulator, of the host."""

import ctypes
import functools

import torch

from .frames import Frames
from .._engine import Engine
from .._errors import UsageError

MLIR_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
FORMATS = {"e4m3": (torch.float8_e4m3fn, "f8E4M3FN"), "e5m2": (torch.float8_e5m2, "f8E5M2")}
CODES = {dtype: mlir for dtype, mlir in FORMATS.values()}
BLOCK = 32

LIBRARY = torch.library.Library("mxc", "DEF")  # lives as long as the process: without it the operators are gone

_simulator = None


def simulate(target):
    """Lets the operators take tensors in the host's memory, and run on a simulated chip ("sm_90a"); None: no longer. It is for
    tests: a simulated launch takes milliseconds to minutes."""
    global _simulator
    engine_of(f"simulator:{target}") if target is not None else None  # an unknown name is refused here
    _simulator = target


def chosen(table, key, what):
    if key not in table:
        raise UsageError(f"mxc: {what}: expected {', '.join(str(known) for known in table)}, found {key}")
    return table[key]


@functools.lru_cache(maxsize=None)
def engine_of(device):
    return Engine(device)


def device_of(tensor):
    """The name of the engine that takes the tensor."""
    if tensor.is_cuda:
        return str(tensor.device)
    if _simulator is None:
        raise UsageError(
            f"mxc: a tensor on {tensor.device}: expected one on a CUDA device, or mxc.torch.simulate(\"sm_90a\") before, for "
            "tensors in the host's memory"
        )
    return f"simulator:{_simulator}"


def scales_type(lead, layout):
    types = {"tcgen05": "xf8E8M0FNU, #mx.scale_layout<tcgen05>>", "dense": "xf8E8M0FNU>"}
    return f"memref<{lead}?x?{chosen(types, layout, 'layout')}"


def scale_shape(rows, columns, layout):
    """Of a matrix of rows x columns elements, blocks along the rows."""
    blocks = (columns + BLOCK - 1) // BLOCK
    if layout == "tcgen05":
        return (((rows + 127) // 128) * ((blocks + 3) // 4) * 512,)
    return (rows, blocks)


_current_stream = torch._C._cuda_getCurrentRawStream if hasattr(torch._C, "_cuda_getCurrentRawStream") else None


def launch(kernel, *tensors):
    """Enqueues one launch on torch's current stream; on a simulator it is complete on return."""
    first = tensors[0]
    if not first.is_cuda:
        _launch_simulated(kernel, tensors)
    elif _current_stream is None or not frames_of(kernel, first.device).launch(
        tensors, _current_stream(first.device.index)
    ):
        kernel(*tensors)  # which says what is wrong


@functools.lru_cache(maxsize=None)
def frames_of(kernel, device):
    return Frames(kernel, device)


def _launch_simulated(kernel, tensors):
    engine, copies = engine_of(kernel.device), []
    taken = [argument for argument in kernel.arguments if argument.kind != "workspace"]
    for argument, tensor in zip(taken, tensors):
        if not tensor.is_contiguous():
            raise UsageError(f"mxc: argument '{argument.name}' on a simulator: expected a contiguous tensor")
        copy = engine.empty(argument.type, tensor.shape)
        if copy.nbytes:
            copy.upload(ctypes.string_at(tensor.data_ptr(), copy.nbytes))
        copies.append(copy)
    kernel(*copies)
    for argument, tensor, copy in zip(taken, tensors, copies):
        if argument.is_output and copy.nbytes:
            ctypes.memmove(tensor.data_ptr(), copy.download(), copy.nbytes)


def define(schema, implementation, fake):
    """Registers torch.ops.mxc's operator of that schema: one implementation for the GPU and the simulator. It is torch's own
    registration rather than custom_op, whose Python costs a call twice as much."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CUDA", "CPU"):
        LIBRARY.impl(name, implementation, key)
    torch.library.register_fake(f"mxc::{name}", fake, lib=LIBRARY)
    return getattr(torch.ops.mxc, name).default
