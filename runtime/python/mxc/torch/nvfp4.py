"""torch.ops.mxc.quantize_nvfp4, quantize_nvfp4_column, quantize_nvfp4_both and nvfp4_amax."""

import functools
from typing import Optional

import torch

from .gradients import require_gradients, undifferentiated
from .kernels import MLIR_TYPES, chosen, define, device_of, engine_of, launch
from .quantizers import outputs_of
from .. import sources

_PARAMETERS = "Tensor x, Tensor amax, Tensor? random=None, str? hadamard=None, bool four_over_six=False, str layout='tcgen05', str? compat=None"


@functools.lru_cache(maxsize=None)
def _quantizer(device, dtype, axis, layout, compat, hadamard, four_over_six, is_random, finds_amax):
    values = chosen(MLIR_TYPES, dtype, "dtype of x")
    source = sources.quantize_nvfp4(values, axis, layout, compat, hadamard, four_over_six, is_random, finds_amax)
    return engine_of(device).load(source, name=f"mxc.torch's quantize_nvfp4 along axis {axis}")


def _copies(x, layout, axis):
    torch._check(x.dim() == 2, lambda: f"mxc: x has {x.dim()} dimensions: expected 2")
    return outputs_of(axis)(x, "e2m1", layout=layout, block="1x16")


def _count(axis, hadamard):
    return 2 if axis == "both" and hadamard else 1


def _implementation(axis):
    def quantize(x, amax, random=None, hadamard=None, four_over_six=False, layout="tcgen05", compat=None):
        count = _count(axis, hadamard)
        torch._check(amax.shape == (count,), lambda: f"mxc: amax of shape {tuple(amax.shape)}: expected ({count},)")
        x, outputs = x.contiguous(), _copies(x, layout, axis)
        kernel = _quantizer(device_of(x), x.dtype, axis, layout, compat, hadamard, four_over_six, random is not None, False)
        launch(kernel, x, amax.contiguous(), *(() if random is None else (random.contiguous(),)), *outputs)
        return outputs

    return quantize


def _fake(axis):
    def quantize(x, amax, random=None, hadamard=None, four_over_six=False, layout="tcgen05", compat=None):
        return _copies(x, layout, axis)

    return quantize


def _amax(x, axis="row", hadamard=None):
    x, outputs = x.contiguous(), _copies(x, "dense", axis)
    ones, found = (torch.ones(_count(axis, hadamard), dtype=torch.float32, device=x.device) for _ in range(2))
    launch(_quantizer(device_of(x), x.dtype, axis, "dense", None, hadamard, False, False, True), x, ones, *outputs, found)
    return found


_row = define(f"quantize_nvfp4({_PARAMETERS}) -> (Tensor, Tensor)", _implementation("row"), _fake("row"))
_column = define(f"quantize_nvfp4_column({_PARAMETERS}) -> (Tensor, Tensor)", _implementation("column"), _fake("column"))
_both = define(f"quantize_nvfp4_both({_PARAMETERS}) -> (Tensor, Tensor, Tensor, Tensor)", _implementation("both"), _fake("both"))
_largest = define(
    "nvfp4_amax(Tensor x, str axis='row', str? hadamard=None) -> Tensor",
    _amax,
    lambda x, axis="row", hadamard=None: x.new_empty(_count(axis, hadamard), dtype=torch.float32),
)


def quantize_nvfp4(
    x: torch.Tensor,
    amax: torch.Tensor,
    axis: str = "row",
    random: Optional[torch.Tensor] = None,
    hadamard: Optional[str] = None,
    four_over_six: bool = False,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
) -> tuple[torch.Tensor, ...]:
    """Returns codes, two a byte, float4_e2m1fn_x2 [M, K/2], and scales of 16 elements; axis "column": of x transposed, [K, M/2]; "both": both, from
    one reading. amax: f32 [1], as nvfp4_amax gives it; values are code * scale * amax / 2688 (four_over_six: 1536). random: int64 [2], a seed and
    an offset of stochastic rounding. hadamard: "row", "column" or "both": which copies are transformed along their blocks first; of two
    copies amax then is [2]. compat: "te" or "torchao", whose bytes they are, or "flashinfer", near whose they are."""
    operator = chosen({"row": _row, "column": _column, "both": _both}, axis, "axis")
    rule = amax, random, hadamard, four_over_six, layout, compat
    return undifferentiated(operator, x, *rule) if require_gradients(x, amax) else operator(x, *rule)


def nvfp4_amax(x: torch.Tensor, axis: str = "row", hadamard: Optional[str] = None) -> torch.Tensor:
    """Returns the largest magnitude of what quantize_nvfp4 would quantize, f32 [1], or [2] of two copies of which one is transformed. It is
    a quantization whose codes are dropped; of x as it is, x.abs().max() says the same."""
    return undifferentiated(_largest, x, axis, hadamard) if require_gradients(x) else _largest(x, axis, hadamard)
