"""torch.ops.mxc.quantize, quantize_column, quantize_both and dequantize."""

import functools
from typing import Optional, Union

import torch

from .gradients import require_gradients, undifferentiated
from .kernels import CODES, FORMATS, MLIR_TYPES, SCALES, Plans, chosen, contiguous, define, device_of, engine_of, format_of, launch, made_anew, new, readable_scales, refuse, scale_of_tensor
from .. import sources
from .._formats import scale_of
from .._shapes import block_of, layout_of, packed, scale_shape, unpacked

Format = Union[str, torch.dtype]  # "e4m3" or torch.float8_e4m3fn

_PARAMETERS = (
    "Tensor x, str format='e4m3', str? rounding=None, str layout='tcgen05', str? compat=None, str block='1x32', Tensor? tensor_scale=None, "
    "str activation=''"
)


@functools.lru_cache(maxsize=None)
def _quantizer(device, dtype, rows_lie_apart, format, axis, rounding, layout, compat, block, activation, is_gradient=False):
    values = chosen(MLIR_TYPES, dtype, "dtype of x")
    layout = layout_of(layout, block)
    source = sources.quantize(values, format, axis, rounding, layout, compat, rows_lie_apart, block, activation, is_gradient)
    return engine_of(device).load(source, name=f"mxc.torch's quantize along axis {axis}")


@functools.lru_cache(maxsize=None)
def _dequantizer(device, format, dtype, layout, block):
    source = sources.dequantize(format, chosen(MLIR_TYPES, dtype, "dtype"), layout, block)
    return engine_of(device).load(source, name="mxc.torch's dequantize")


def _empty(x, format, layout, transposed=False, block="1x32"):
    """The codes and scales of one copy; a batch of matrices has the tiles of each, one matrix after the other."""
    torch._check(x.dim() in (2, 3), lambda: f"mxc: x has {x.dim()} dimensions: expected 2 or 3")
    rows, columns = (x.shape[-1], x.shape[-2]) if transposed else (x.shape[-2], x.shape[-1])
    layout = layout_of(layout, block)
    scales = scale_shape(rows, columns, layout, block)
    if x.dim() == 3:
        scales = (x.shape[0] * scales[0],) if layout == "tcgen05" else (x.shape[0], *scales)
    dtype = chosen(FORMATS, format, "format")
    q = x.new_empty((*x.shape[:-2], rows, packed(columns, format, refuse)), dtype=dtype)
    return q, x.new_empty(scales, dtype=SCALES[scale_of(block)])


def outputs_of(axis):
    """What makes the empty copies of x along an axis, of the operators' arguments."""
    directions = {"row": (False,), "column": (True,), "both": (False, True)}[axis]

    def outputs(x, format="e4m3", rounding=None, layout="tcgen05", compat=None, block="1x32", tensor_scale=None, activation=""):
        return tuple(part for transposed in directions for part in _empty(x, format, layout, transposed, block))

    return outputs


def _implementation(axis):
    new_outputs, plans = outputs_of(axis), Plans()

    def quantize(x, format="e4m3", rounding=None, layout="tcgen05", compat=None, block="1x32", tensor_scale=None, activation=""):
        key = (x.shape, x.dtype, x.device, format, rounding, layout, compat, block, activation)
        plan = plans.get(key)
        if plan is None or not x.is_contiguous():
            return first(key, x, (format, rounding, layout, compat, block), tensor_scale, activation)
        kernel, makers = plan
        outputs = new(makers)
        launch(kernel, x, *scale_of_tensor(tensor_scale, block), *outputs)
        return tuple(outputs)

    def first(key, x, rule, tensor_scale, activation):
        outputs = new_outputs(x, *rule)
        if x.dim() == 3:
            batch = x.shape[0]
            parts = [part if part.dim() == 3 else part.view(batch, -1) for part in outputs]
            for i in range(batch):
                _launch_matrix(axis, x[i], tensor_scale, [part[i] for part in parts], *rule, activation)
            return outputs
        kernel = _launch_matrix(axis, x, tensor_scale, outputs, *rule, activation)
        if x.is_contiguous():
            plans.keep(key, (kernel, made_anew(outputs)))
        return outputs

    return quantize


def readable(x):
    """x as a kernel can read it: its rows are contiguous and do not overlap, even if they lie apart."""
    return x if x.is_contiguous() or (x.stride(1) == 1 and 0 < x.stride(0) >= x.shape[1]) else x.contiguous()


def _launch_matrix(axis, x, tensor_scale, outputs, format, rounding, layout, compat, block, activation):
    """Returns the kernel."""
    scale, x = scale_of_tensor(tensor_scale, block), readable(x)
    kernel = _quantizer(device_of(x), x.dtype, not x.is_contiguous(), format, axis, rounding, layout, compat, block, activation)
    launch(kernel, x, *scale, *outputs)
    return kernel


def plan_of_both(x, format, compat, block, activation, is_gradient=False):
    """The kernel that makes both copies of a matrix that is readable, and what makes empty ones."""
    rows_lie_apart = not x.is_contiguous()
    kernel = _quantizer(device_of(x), x.dtype, rows_lie_apart, format, "both", None, "tcgen05", compat, block, activation, is_gradient)
    return kernel, made_anew(outputs_of("both")(x, format, compat=compat, block=block))


def _dequantize(q, s, dtype=torch.bfloat16, layout="tcgen05", format=None, tensor_scale=None):
    format, block = format_of(q.dtype, format, "q"), "1x16" if s.dtype == torch.float8_e4m3fn else "1x32"
    if s.dtype == torch.float32:
        block, layout = block_of(q.shape, s.shape, refuse)
    scale, q = scale_of_tensor(tensor_scale, block), contiguous(q)
    y = q.new_empty(unpacked(q.shape, format), dtype=dtype)
    matrices = [(q, s, y)]
    if q.dim() == 3:
        parts = s.view(q.shape[0], -1) if layout == "tcgen05" else s
        matrices = zip(q, parts, y)
    for codes, scales, result in matrices:
        launch(_dequantizer(device_of(q), format, dtype, layout, block), codes, readable_scales(scales), *scale, result)
    return y


def _new_values(q, s, dtype=torch.bfloat16, layout="tcgen05", format=None, tensor_scale=None):
    return q.new_empty(unpacked(q.shape, format_of(q.dtype, format, "q")), dtype=dtype)


_row = define(f"quantize({_PARAMETERS}) -> (Tensor, Tensor)", _implementation("row"), outputs_of("row"))
_column = define(f"quantize_column({_PARAMETERS}) -> (Tensor, Tensor)", _implementation("column"), outputs_of("column"))
_both = define(f"quantize_both({_PARAMETERS}) -> (Tensor, Tensor, Tensor, Tensor)", _implementation("both"), outputs_of("both"))
_values = define(
    "dequantize(Tensor q, Tensor s, ScalarType dtype=bfloat16, str layout='tcgen05', str? format=None, Tensor? tensor_scale=None) -> Tensor",
    _dequantize,
    _new_values,
)


def _named(format):
    """A format's name, of torch's type too."""
    return chosen(CODES, format, "format") if isinstance(format, torch.dtype) else format


def quantize(
    x: torch.Tensor,
    format: Format = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
    tensor_scale: Optional[torch.Tensor] = None,
    activation: Optional[str] = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns codes [M, K] and scales; a block is 32 elements of a row. format: "e4m3", "e5m2", "e2m1" (MXFP4: float4_e2m1fn_x2 [M, K/2]), "e2m3" or
    "e3m2" (MXFP6: four codes in three bytes, uint8 [M, 3K/4]). rounding: "ceil" where nothing is said. compat: a preset ("te",
    "torchao", "megatron", "cublas") in place of it. A batch [B, M, K] has the scales of one matrix after those of the other. block:
    "1x128" or "128x128" has scales of f32, [ceil(K / 128), roundup(M, 4)] (layout = "dense": [M, ceil(K / 128)]) or
    [ceil(M / 128), ceil(K / 128)]; their rounding is "nearest", their presets "deepseek", "te_blockwise", "te_blockwise_f32".
    "1x128 to 1x32" or "128x128 to 1x32" is MXFP8 whose blocks of 32 have the scale of the larger one that they lie in. "1x16" with "e2m1" is
    NVFP4, with scales of float8_e4m3fn and tensor_scale, a float32 on x's device: a value is code * scale * tensor_scale, which is
    the largest magnitude / 2688 (docs/semantics/nvfp4.md). activation: activation(x) is quantized in place of x, computed in f32 and not rounded in
    between: relu, gelu, gelu_tanh, silu, or MLIR text that makes %y of %x, both f32."""
    rule = _named(format), rounding, layout, compat, block, tensor_scale, activation or ""
    if require_gradients(x, tensor_scale):
        return undifferentiated(_row, x, *rule)
    return _row(x, *rule)


def quantize_column(
    x: torch.Tensor,
    format: Format = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
    tensor_scale: Optional[torch.Tensor] = None,
    activation: Optional[str] = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the transposed codes [K, M] and their scales; a block is 32 elements of a column of x, or 128. Blocks of 128x128 are
    those of x itself."""
    rule = _named(format), rounding, layout, compat, block, tensor_scale, activation or ""
    if require_gradients(x, tensor_scale):
        return undifferentiated(_column, x, *rule)
    return _column(x, *rule)


def quantize_both(
    x: torch.Tensor,
    format: Format = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
    tensor_scale: Optional[torch.Tensor] = None,
    activation: Optional[str] = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Returns what quantize and quantize_column return, from one reading of x."""
    rule = _named(format), rounding, layout, compat, block, tensor_scale, activation or ""
    if require_gradients(x, tensor_scale):
        return undifferentiated(_both, x, *rule)
    return _both(x, *rule)


def dequantize(
    q: torch.Tensor,
    s: torch.Tensor,
    dtype: torch.dtype = torch.bfloat16,
    layout: str = "tcgen05",
    format: Optional[Format] = None,
    tensor_scale: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    """Returns the values [M, K] of quantize's codes and scales. format: that of codes of 6 bits, "e2m3" or "e3m2". tensor_scale: NVFP4's."""
    if require_gradients(q, s, tensor_scale):
        return undifferentiated(_values, q, s, dtype, layout, _named(format), tensor_scale)
    return _values(q, s, dtype, layout, _named(format), tensor_scale)
