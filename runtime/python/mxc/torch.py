"""Operators of torch: torch.ops.mxc.quantize, quantize_column, quantize_both and dequantize, for eager mode, torch.compile
and CUDA graphs. Results are bit for bit those of docs/semantics.md.

    q, s = mxc.torch.quantize(x)  # x: [M, K] of bfloat16, float16 or float32

Scales are in the layout of tcgen05 (torch.nn.functional's SWIZZLE_32_4_4), as one dimension of whole padded tiles, or dense:
[rows, blocks]. Kernels are compiled at their first use on a device and kept in mxc's cache."""

import functools

import torch

from ._engine import Engine
from ._errors import UsageError

_MLIR_TYPES = {torch.bfloat16: "bf16", torch.float16: "f16", torch.float32: "f32"}
_FORMATS = {"e4m3": (torch.float8_e4m3fn, "f8E4M3FN"), "e5m2": (torch.float8_e5m2, "f8E5M2")}
_BLOCK = 32


def _chosen(table, key, what):
    if key not in table:
        raise UsageError(f"mxc: {what}: expected {', '.join(str(known) for known in table)}, found {key}")
    return table[key]


def _scales_type(layout):
    return _chosen(
        {"tcgen05": "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>", "dense": "memref<?x?xf8E8M0FNU>"}, layout, "layout"
    )


@functools.lru_cache(maxsize=None)
def _engine(device):
    return Engine(str(device))


@functools.lru_cache(maxsize=None)
def _quantizer(device, dtype, rows, format, axis, rounding, layout):
    x = f"memref<?x?x{_chosen(_MLIR_TYPES, dtype, 'dtype of x')}{rows}>"
    q, s = f"memref<?x?x{_chosen(_FORMATS, format, 'format')[1]}>", _scales_type(layout)
    names = ("q", "s", "qt", "st") if axis == "both" else ("q", "s")
    types = [s if name.startswith("s") else q for name in names]
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip(names, types))
    outputs = f"{', '.join('%' + name for name in names)} : {', '.join(types)}"
    return _engine(device).load(
        f"mx.kernel @quantize(%x: {x}, {arguments}) {{\n"
        f"  mx.quantize ins(%x : {x}) outs({outputs}) axis = {axis} rounding = {rounding}\n}}\n",
        name=f"mxc.torch's quantize along axis {axis}",
    )


@functools.lru_cache(maxsize=None)
def _dequantizer(device, format, dtype, layout):
    q, s = f"memref<?x?x{_chosen(_FORMATS, format, 'format')[1]}>", _scales_type(layout)
    y = f"memref<?x?x{_chosen(_MLIR_TYPES, dtype, 'dtype')}>"
    return _engine(device).load(
        f"mx.kernel @dequantize(%q: {q}, %s: {s}, %y: {y}) {{\n  mx.dequantize ins(%q, %s : {q}, {s}) outs(%y : {y})\n}}\n",
        name="mxc.torch's dequantize",
    )


def _empty_outputs(x, rows, columns, format, layout):
    torch._check(x.dim() == 2, lambda: f"mxc: x has {x.dim()} dimensions: expected 2")
    blocks = (columns + _BLOCK - 1) // _BLOCK
    shape = (rows, blocks)
    if layout == "tcgen05":
        shape = ((rows + 127) // 128 * ((blocks + 3) // 4) * 512,)
    q = x.new_empty((rows, columns), dtype=_chosen(_FORMATS, format, "format")[0])
    return q, x.new_empty(shape, dtype=torch.float8_e8m0fnu)


def _empty_rows(x, format, layout):
    return _empty_outputs(x, x.shape[0], x.shape[1], format, layout)


def _empty_columns(x, format, layout):
    return _empty_outputs(x, x.shape[1], x.shape[0], format, layout)


def _launch_quantizer(axis, x, outputs, format, rounding, layout):
    """Runs on x as it lies if its rows are contiguous, even if they lie apart."""
    if x.stride(1) != 1:
        x = x.contiguous()
    rows = "" if x.is_contiguous() else ", strided<[?, 1]>"
    _quantizer(x.device, x.dtype, rows, format, axis, rounding, layout)(x, *outputs)
    return outputs


@torch.library.custom_op("mxc::quantize", mutates_args=(), device_types="cuda")
def quantize(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns codes [M, K] and scales; a block is 32 elements of a row."""
    return _launch_quantizer("row", x, _empty_rows(x, format, layout), format, rounding, layout)


@quantize.register_fake
def _(x, format="e4m3", rounding="ceil", layout="tcgen05"):
    return _empty_rows(x, format, layout)


@torch.library.custom_op("mxc::quantize_column", mutates_args=(), device_types="cuda")
def quantize_column(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the transposed codes [K, M] and their scales; a block is 32 elements of a column of x."""
    return _launch_quantizer("column", x, _empty_columns(x, format, layout), format, rounding, layout)


@quantize_column.register_fake
def _(x, format="e4m3", rounding="ceil", layout="tcgen05"):
    return _empty_columns(x, format, layout)


@torch.library.custom_op("mxc::quantize_both", mutates_args=(), device_types="cuda")
def quantize_both(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Returns what quantize and quantize_column return, from one reading of x."""
    outputs = (*_empty_rows(x, format, layout), *_empty_columns(x, format, layout))
    return _launch_quantizer("both", x, outputs, format, rounding, layout)


@quantize_both.register_fake
def _(x, format="e4m3", rounding="ceil", layout="tcgen05"):
    return *_empty_rows(x, format, layout), *_empty_columns(x, format, layout)


@torch.library.custom_op("mxc::dequantize", mutates_args=(), device_types="cuda")
def dequantize(
    q: torch.Tensor, s: torch.Tensor, dtype: torch.dtype = torch.bfloat16, layout: str = "tcgen05"
) -> torch.Tensor:
    """Returns the values [M, K] of quantize's codes and scales."""
    formats = {dtype: format for format, (dtype, _) in _FORMATS.items()}
    y = q.new_empty(q.shape, dtype=dtype)
    _dequantizer(q.device, _chosen(formats, q.dtype, "dtype of q"), dtype, layout)(q.contiguous(), s, y)
    return y


@dequantize.register_fake
def _(q, s, dtype=torch.bfloat16, layout="tcgen05"):
    return q.new_empty(q.shape, dtype=dtype)
