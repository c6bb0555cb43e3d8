"""MXFP8 for JAX: quantizers and products as functions that jax.jit takes, by XLA's custom calls. Results are bit for bit those of
docs/semantics/product.md.

    q, s = mxc.jax.quantize(x)  # x: [M, K] of bfloat16, float16 or float32
    y = mxc.jax.matmul(q, s, wq, ws)  # [M, N]

    y = mxc.jax.linear(x, w, bias)  # both quantized here, with gradients

Scales are in the layout of tcgen05, as one dimension of whole padded tiles; quantizers also write them dense: [rows, blocks]; those of
blocks of 128 are f32. Every result is a new array. linear alone has gradients. jax.vmap launches once for each element. Elements have 8
bits: mxc.torch has those of 4 and 6. Kernels are compiled when they first run on a device, and kept in mxc's cache."""

import functools
from typing import Optional

import jax
import jax.numpy as jnp

from . import sources
from ._engine import Engine
from ._errors import InvalidInputError, UsageError
from ._formats import BITS, DTYPES, ELEMENTS, VALUES, scale_of
from ._library import library
from ._shapes import block_of, layout_of, product_shape, scale_shape

__all__ = ["dequantize", "linear", "matmul", "quantize", "quantize_both", "quantize_column", "simulate"]

_TARGET = "mxc_launch"
_VALUES = {DTYPES[name]: name for name in VALUES}
_FORMATS = {name: DTYPES[name] for name in ELEMENTS if BITS[name] == 8}
_CODES = {dtype: name for name, dtype in _FORMATS.items()}

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
    return jax.ffi.ffi_call(_TARGET, outputs, vmap_method="sequential")(*arrays, source=source, device=device)


def _launch(source, results, *arrays):
    return tuple(_call(*arrays, source=source, device=_simulator, results=tuple(results)))


def _type(table, array, what):
    name = jnp.dtype(array.dtype).name
    if name not in table:
        raise UsageError(f"mxc: dtype of {what}: expected {', '.join(table)}, found {name}")
    return table[name]


def _refuse(message):
    raise InvalidInputError(message)


def _quantized(rows, columns, format, layout, block):
    if format not in _FORMATS:
        raise UsageError(f"mxc: format: expected {', '.join(_FORMATS)}, the formats of 8 bits that mxc.jax has, found {format}")
    return ((rows, columns), _FORMATS[format]), (scale_shape(rows, columns, layout, block), DTYPES[scale_of(block)])


def _quantize(axis, x, format, rounding, layout, compat, block):
    if x.ndim not in (2, 3):
        raise InvalidInputError(f"mxc: x has {x.ndim} dimensions: expected 2 or 3")
    if block == "1x16":
        raise UsageError("mxc: block: expected those of 8-bit elements, 1x32, 1x128, 128x128, found 1x16: mxc.torch has NVFP4")
    layout = layout_of(layout, block)
    if x.ndim == 3:  # scales in tiles follow one another
        parts = jax.vmap(lambda matrix: _quantize(axis, matrix, format, rounding, layout, compat, block))(x)
        return tuple(part.reshape(-1) if part.ndim == 2 else part for part in parts)
    rows, columns = x.shape
    by_rows, by_columns = (_quantized(*shape, format, layout, block) for shape in ((rows, columns), (columns, rows)))
    source = sources.quantize(_type(_VALUES, x, "x"), format, axis, rounding, layout, compat, block=block)
    results = {"row": by_rows, "column": by_columns, "both": by_rows + by_columns}[axis]
    return _launch(source, results, x)


def quantize(
    x: jax.Array,
    format: str = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
) -> tuple[jax.Array, jax.Array]:
    """Returns codes [M, K] and scales; a block is 32 elements of a row. compat: a preset ("te", "torchao", "megatron", "cublas")
    in place of the rounding. A batch [B, M, K] is a launch for each matrix; its scales in tiles follow one another. block, and rounding
    where nothing is said: as mxc.torch.quantize has them."""
    return _quantize("row", x, format, rounding, layout, compat, block)


def quantize_column(
    x: jax.Array,
    format: str = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
) -> tuple[jax.Array, jax.Array]:
    """Returns the transposed codes [K, M] and their scales; a block is 32 elements of a column of x."""
    return _quantize("column", x, format, rounding, layout, compat, block)


def quantize_both(
    x: jax.Array,
    format: str = "e4m3",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    block: str = "1x32",
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """Returns what quantize and quantize_column return, from one reading of x."""
    return _quantize("both", x, format, rounding, layout, compat, block)


def dequantize(q: jax.Array, s: jax.Array, dtype="bfloat16", layout: str = "tcgen05") -> jax.Array:
    """Returns the values [M, K], or a batch of them, of quantize's codes and scales."""
    if q.ndim == 3:
        parts = s.reshape(q.shape[0], -1) if s.ndim == 1 else s
        return jax.vmap(lambda codes, scales: dequantize(codes, scales, dtype, layout))(q, parts)
    block = "1x32"
    if s.dtype == jnp.float32:
        block, layout = block_of(q.shape, s.shape, _refuse)
    values = jax.ShapeDtypeStruct(q.shape, dtype)
    source = sources.dequantize(_type(_CODES, q, "q"), _type(_VALUES, values, "the result"), layout, block)
    return _launch(source, [(q.shape, values.dtype.name)], q, s)[0]


def _blocks(a, sa, b, sb):
    if sa.dtype != jnp.float32 or sb.dtype != jnp.float32:
        return ("1x32", "1x32")
    return tuple(block_of(codes.shape, scales.shape, _refuse)[0] for codes, scales in ((a, sa), (b, sb)))


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

    a [.., M, K] and b [.., N, K] are codes, one or a batch of matrices, with scales in the layout of tcgen05, or, on sm_90a, of blocks of
    1x128 (a and b) or 128x128 (b); bias is [N],
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
        blocks=_blocks(a, sa, b, sb),
    )
    added = []
    if bias is not None:
        added.append(jnp.broadcast_to(bias, (*shape[:-2], 1, shape[-1])))
    if residual is not None:
        added.append(residual)
    return _launch(source, [(shape, result.dtype.name)], a, sa, b, sb, *added)[0]


_BLOCKS = {"mxfp8": ("1x32", "1x32"), "blockwise": ("1x128", "128x128")}  # of inputs and gradients, and of weights, by recipe


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def _product(x, weight, rule):
    format, _, compat, recipe = rule
    block, weight_block = _BLOCKS[recipe]
    operands = quantize(x, format, compat=compat, block=block) + quantize(weight, format, compat=compat, block=weight_block)
    return matmul(*operands, dtype=x.dtype)


def _forward(x, weight, rule):
    format, _, compat, recipe = rule
    block, weight_block = _BLOCKS[recipe]
    a, sa, at, sat = quantize_both(x, format, compat=compat, block=block)
    b, sb, bt, sbt = quantize_both(weight, format, compat=compat, block=weight_block)
    return matmul(a, sa, b, sb, dtype=x.dtype), (at, sat, bt, sbt, jnp.zeros((), weight.dtype))


def _backward(rule, kept, dy):
    _, format, compat, recipe = rule
    at, sat, bt, sbt, of_weight = kept
    g, sg, gt, sgt = quantize_both(dy, format, compat=compat, block=_BLOCKS[recipe][0])
    return matmul(g, sg, bt, sbt, dtype=dy.dtype), matmul(gt, sgt, at, sat, dtype=of_weight.dtype)


_product.defvjp(_forward, _backward)


def linear(
    x: jax.Array,
    weight: jax.Array,
    bias: Optional[jax.Array] = None,
    *,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
) -> jax.Array:
    """Returns x weight^T + bias for x [.., K] and weight [N, K], both quantized here, of x's type. Its gradients are products of
    quantized operands, too, each along what it sums over (mxc.torch.linear has the same three). recipe: "mxfp8", or "blockwise" (sm_90a)."""
    if recipe not in _BLOCKS:
        raise UsageError(f"mxc: recipe: expected {', '.join(_BLOCKS)}, found {recipe}")
    if weight.ndim != 2 or x.shape[-1] != weight.shape[1]:
        raise InvalidInputError(f"mxc: x of shape {x.shape} and weight of {weight.shape}: expected [.., K] and [N, K]")
    y = _product(x.reshape(-1, x.shape[-1]), weight, (format, gradient_format, compat, recipe)).reshape(*x.shape[:-1], weight.shape[0])
    return y if bias is None else y + bias.astype(y.dtype)
