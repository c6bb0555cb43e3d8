"""MXFP8 for JAX: quantizers and products as functions that jax.jit takes, by XLA's custom calls. Results are bit for bit those of
docs/semantics/product.md.

    q, s = mxc.jax.quantize(x)  # x: [M, K] of bfloat16, float16 or float32
    y = mxc.jax.matmul(q, s, wq, ws)  # [M, N]

Scales are in the layout of tcgen05, as one dimension of whole padded tiles; quantizers also write them dense: [rows, blocks]. Every
result is a new array. There are no gradients and no vmap: jax.custom_vjp makes the first of the three products, matmul takes batches.
Kernels are compiled when they first run on a device, and kept in mxc's cache."""

import ctypes
import functools
from typing import Optional

import jax
import jax.numpy as jnp

from . import sources
from ._engine import Engine
from ._errors import InvalidInputError, UsageError
from ._library import library
from ._shapes import product_shape, scale_shape

__all__ = ["dequantize", "matmul", "quantize", "quantize_both", "quantize_column", "simulate"]

_TARGET = "mxc_launch"
_VALUES = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}
_CODES = {"float8_e4m3fn": "e4m3", "float8_e5m2": "e5m2"}
_FORMATS = {"e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2"}

for _platform, _function in (("CUDA", "mxc_xla_launch"), ("cpu", "mxc_xla_simulate")):
    jax.ffi.register_ffi_target(_TARGET, jax.ffi.pycapsule(getattr(library, _function)), platform=_platform)

_simulator = ""


def simulate(target: Optional[str]) -> None:
    """Lets functions that are traced from now on take arrays in the host's memory, and run on a simulated chip ("sm_90a"); None:
    no longer. It is for tests: a simulated launch takes milliseconds to minutes."""
    global _simulator
    device = "" if target is None else f"simulator:{target}"
    if device:
        Engine(device)  # an unknown name is refused here
    _simulator = device


@functools.partial(jax.jit, static_argnames=("source", "device", "results"))
def _call(*arrays, source, device, results):
    outputs = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in results]
    return jax.ffi.ffi_call(_TARGET, outputs)(*arrays, source=source, device=device)


def _launch(source, results, *arrays):
    return tuple(_call(*arrays, source=source, device=_simulator, results=tuple(results)))


def _type(table, array, what):
    name = jnp.dtype(array.dtype).name
    if name not in table:
        raise UsageError(f"mxc: dtype of {what}: expected {', '.join(table)}, found {name}")
    return table[name]


def _refuse(message):
    raise InvalidInputError(message)


def _quantized(rows, columns, format, layout):
    if format not in _FORMATS:
        raise UsageError(f"mxc: format: expected {', '.join(_FORMATS)}, found {format}")
    return ((rows, columns), _FORMATS[format]), (scale_shape(rows, columns, layout), "float8_e8m0fnu")


def _quantize(axis, x, format, rounding, layout, compat):
    if x.ndim != 2:
        raise InvalidInputError(f"mxc: x has {x.ndim} dimensions: expected 2")
    rows, columns = x.shape
    by_rows, by_columns = _quantized(rows, columns, format, layout), _quantized(columns, rows, format, layout)
    source = sources.quantize(_type(_VALUES, x, "x"), format, axis, rounding, layout, compat)
    results = {"row": by_rows, "column": by_columns, "both": by_rows + by_columns}[axis]
    return _launch(source, results, x)


def quantize(
    x: jax.Array,
    format: str = "e4m3",
    rounding: str = "ceil",
    layout: str = "tcgen05",
    compat: Optional[str] = None,
) -> tuple[jax.Array, jax.Array]:
    """Returns codes [M, K] and scales; a block is 32 elements of a row. compat: a preset ("te", "torchao", "megatron", "cublas")
    in place of the rounding."""
    return _quantize("row", x, format, rounding, layout, compat)


def quantize_column(
    x: jax.Array,
    format: str = "e4m3",
    rounding: str = "ceil",
    layout: str = "tcgen05",
    compat: Optional[str] = None,
) -> tuple[jax.Array, jax.Array]:
    """Returns the transposed codes [K, M] and their scales; a block is 32 elements of a column of x."""
    return _quantize("column", x, format, rounding, layout, compat)


def quantize_both(
    x: jax.Array,
    format: str = "e4m3",
    rounding: str = "ceil",
    layout: str = "tcgen05",
    compat: Optional[str] = None,
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Returns what quantize and quantize_column return, from one reading of x."""
    return _quantize("both", x, format, rounding, layout, compat)


def dequantize(q: jax.Array, s: jax.Array, dtype="bfloat16", layout: str = "tcgen05") -> jax.Array:
    """Returns the values [M, K] of quantize's codes and scales."""
    values = jax.ShapeDtypeStruct(q.shape, dtype)
    source = sources.dequantize(_type(_CODES, q, "q"), _type(_VALUES, values, "the result"), layout)
    return _launch(source, [(q.shape, values.dtype.name)], q, s)[0]


def matmul(
    a: jax.Array,
    sa: jax.Array,
    b: jax.Array,
    sb: jax.Array,
    *,
    bias: Optional[jax.Array] = None,
    activation: Optional[str] = None,
    residual: Optional[jax.Array] = None,
    dtype="bfloat16",
    reduction: str = "any",
) -> jax.Array:
    """Returns activation(a b^T + bias) + residual, computed in f32 and rounded once.

    a [.., M, K] and b [.., N, K] are codes, one or a batch of matrices, with scales in the layout of tcgen05; bias is [N],
    residual [.., M, N]. activation: relu, gelu, gelu_tanh, silu, or MLIR text that makes %y of %x, both f32. reduction =
    "sequential": a row has the same bits in every batch (docs/semantics/product.md, P5)."""
    shape = product_shape(a.shape, b.shape, *(None if x is None else x.shape for x in (bias, residual)), _refuse)
    result = jax.ShapeDtypeStruct(shape, dtype)
    source = sources.matmul(
        _type(_CODES, a, "a"),
        _type(_CODES, b, "b"),
        _type(_VALUES, result, "the result"),
        None if bias is None else _type(_VALUES, bias, "bias"),
        None if residual is None else _type(_VALUES, residual, "residual"),
        activation or "",
        reduction,
        batch=a.ndim == 3,
    )
    added = []
    if bias is not None:
        added.append(jnp.broadcast_to(bias, (*shape[:-2], 1, shape[-1])))
    if residual is not None:
        added.append(residual)
    return _launch(source, [(shape, result.dtype.name)], a, sa, b, sb, *added)[0]
