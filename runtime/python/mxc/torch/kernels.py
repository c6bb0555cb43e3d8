"""What the operators share: names of types, the engines, and a launch on tensors of a GPU or, on a simulator, of the host."""

import functools
import re

import torch

from .. import _formats as formats
from .. import _launch
from .._engine import Engine
from .._errors import InvalidInputError, UsageError
from .._formats import BITS, DTYPES, ELEMENTS, HAVE_TENSOR_SCALES, VALUES
from .._library import check

MLIR_TYPES = {getattr(torch, DTYPES[name]): name for name in VALUES}
EIGHT_BITS = {name: getattr(torch, DTYPES[name]) for name in ELEMENTS if BITS[name] == 8}
# torch has no name for 6 bits, and pairs of 4.
_NARROW = {name: torch.float4_e2m1fn_x2 if name == "e2m1" else torch.uint8 for name in ELEMENTS if BITS[name] < 8}
FORMATS = {**EIGHT_BITS, **_NARROW}
SCALES = {name: getattr(torch, DTYPES[name]) for name in formats.SCALES}
CODES = {dtype: format for format, dtype in FORMATS.items() if dtype != torch.uint8}
EIGHT_BIT_CODES = {dtype: format for format, dtype in EIGHT_BITS.items()}
_OF_BYTES = {format: format for format, dtype in FORMATS.items() if dtype == torch.uint8}

LIBRARY = torch.library.Library("mxc", "DEF")  # lives as long as the process: without it the operators are gone

_simulator = None
_all_plans = []


class Plans(dict):
    """An operator's, by what its arguments have in common from call to call: a look-up is all that a repeated call costs."""

    _MOST = 4096

    def __init__(self):
        super().__init__()
        _all_plans.append(self)

    def keep(self, key, plan):
        if len(self) == self._MOST:
            self.clear()
        self[key] = plan
        return plan


def simulate(target):
    """Lets the operators take tensors in the host's memory, and run on a simulated chip ("sm_90a"); None: no longer. It is for
    tests: a simulated launch takes milliseconds to minutes."""
    global _simulator
    engine_of(f"simulator:{target}") if target is not None else None  # an unknown name is refused here
    _simulator = target
    for plans in _all_plans:
        plans.clear()


def chosen(table, key, what):
    if key not in table:
        raise UsageError(f"mxc: {what}: expected {', '.join(str(known) for known in table)}, found {key}")
    return table[key]


def value_type(dtype, what):
    return chosen(MLIR_TYPES, dtype, f"dtype of {what}")


def value_type_of(tensor, what):
    return None if tensor is None else value_type(tensor.dtype, what)


def format_of(dtype, named, what):
    """The format of codes: their dtype's, or for bytes the one that was named."""
    if dtype == torch.uint8:
        return chosen(_OF_BYTES, named or None, f"format of {what}, which is of torch.uint8")
    format = chosen(CODES, dtype, f"dtype of {what}")
    if named not in (None, "", format):
        raise UsageError(f"mxc: format of {what}: expected {format}, as {dtype} says, found {named}")
    return format


def contiguous(codes):
    """torch copies no float4_e2m1fn_x2, but bytes."""
    return codes if codes.is_contiguous() else codes.view(torch.uint8).contiguous().view(codes.dtype)


_SCALES_ALIGNMENT = 16  # bytes, which kernels read at once


def readable_scales(s):
    return s if s.is_contiguous() and s.data_ptr() % _SCALES_ALIGNMENT == 0 else s.clone(memory_format=torch.contiguous_format)


def scale_of_tensor(tensor_scale, block):
    """The tensor's scale as a kernel's arguments: one where blocks have one, else none."""
    if (tensor_scale is not None) != (block in HAVE_TENSOR_SCALES):
        found = "none" if tensor_scale is None else f"one for blocks of {block}"
        raise UsageError(f"mxc: tensor_scale: expected one for blocks of 1x16 and for no others, found {found}")
    return () if tensor_scale is None else (tensor_scale.view(1),)


@functools.lru_cache(maxsize=None)
def engine_of(device):
    return Engine(device)


def load_product(device, source, blocks, name):
    """A product's kernel. Where the chip has none of such blocks, the error says what to take instead."""
    try:
        return engine_of(device).load(source, name=name)
    except InvalidInputError as error:
        if blocks[0] != "1x128" or not re.search("products with f32 scales|is not compiled for", str(error)):
            raise
        raise InvalidInputError(
            f'mxc: blocks of 128 (recipe="blockwise") on {device}: this chip has no products with their scales of f32: expected '
            'recipe="mxfp8", or quantize(.., block="1x128 to 1x32"), whose blocks of 32 have the scale of the 128 that they lie in'
        ) from error


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


def refuse(message):
    torch._check(False, lambda: message)


_launch.add_torch()


def launch(kernel, *tensors):
    """Enqueues one launch on torch's current stream; on a simulator it is complete on return."""
    status = _launch.launch(kernel._address, None, False, *tensors)
    if status:
        check(status) if status > 0 else kernel.launch(dict(zip(kernel._positions, tensors)))


@functools.lru_cache(maxsize=None)
def empty_of(dtype, device):
    """Its new_empty takes sizes alone: half of the time of torch.empty."""
    return torch.empty(0, dtype=dtype, device=device)


def made_anew(tensors):
    """What `new` makes empty tensors of, like these."""
    return [(empty_of(tensor.dtype, tensor.device), tuple(tensor.shape)) for tensor in tensors]


def new(makers):
    return [empty.new_empty(*shape) for empty, shape in makers]


def define(schema, implementation, fake):
    """Registers torch.ops.mxc's operator of that schema: one implementation for the GPU and the simulator. It is torch's own
    registration rather than custom_op, whose Python costs a call twice as much."""
    name = schema.partition("(")[0]
    LIBRARY.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    for key in ("CUDA", "CPU"):
        LIBRARY.impl(name, implementation, key)
    torch.library.register_fake(f"mxc::{name}", fake, lib=LIBRARY)
    return getattr(torch.ops.mxc, name).default
