"""torch.ops.mxc.matmul and matmul_out: block-scaled products with an epilogue, compiled once for each combination."""

import functools
from typing import Optional

import torch

from .kernels import MLIR_TYPES, Plans, chosen, contiguous, define, device_of, empty_of, engine_of, format_of, launch, refuse
from .. import sources
from .._errors import UsageError
from .._shapes import block_of, product_shape, unpacked


@functools.lru_cache(maxsize=None)
def product_kernel(device, rank, a, b, bias, residual, activation, dtype, reduction, accumulate, blocks, alpha):
    def value(dtype, what):
        return None if dtype is None else chosen(MLIR_TYPES, dtype, f"dtype of {what}")

    source = sources.matmul(
        a,
        b,
        chosen(MLIR_TYPES, dtype, "dtype"),
        value(bias, "bias"),
        value(residual, "residual"),
        activation,
        reduction,
        accumulate,
        batch=rank == 3,
        blocks=blocks,
        alpha=alpha,
    )
    return engine_of(device).load(source, name="mxc.torch's matmul")


def _shape(a, b, bias, residual, a_format, b_format):
    added = [None if tensor is None else tensor.shape for tensor in (bias, residual)]
    shapes = (unpacked(codes.shape, format_of(codes.dtype, named, what)) for codes, named, what in ((a, a_format, "a"), (b, b_format, "b")))
    return product_shape(*shapes, *added, refuse)


_plans = Plans()


def _likeness(tensor):
    return None if tensor is None else (tensor.shape, tensor.dtype)


def _blocks(a, sa, b, sb):
    """Of a and of b, by the type of their scales and, of f32, by their shapes."""
    if sa.dtype != torch.float32:
        return tuple("1x16" if scales.dtype == torch.float8_e4m3fn else "1x32" for scales in (sa, sb))
    blocks = tuple(block_of(codes.shape, scales.shape, refuse) for codes, scales in ((a, sa), (b, sb)))
    if blocks[0] != ("1x128", "mn_major") or blocks[1] == ("1x128", "dense"):
        refuse(f"mxc: scales of f32 of {blocks}: expected those of a 1x128, mn_major, and of b these or 128x128")
    return (blocks[0][0], blocks[1][0])


def _plan(a, sa, b, sb, bias, residual, activation, dtype, reduction, accumulate, alpha, a_format, b_format):
    """The kernel, a tensor to make results of, and the result's shape."""
    key = (
        *(a.shape, a.dtype, a.device, b.shape, b.dtype, _likeness(bias), _likeness(residual)),
        *(activation, dtype, reduction, accumulate, alpha is None, a_format, b_format),
        *(sa.dtype, None if sa.dtype != torch.float32 else (sa.shape, sb.shape)),
    )
    plan = _plans.get(key)
    if plan is None:
        shape = _shape(a, b, bias, residual, a_format, b_format)
        types = [None if tensor is None else tensor.dtype for tensor in (bias, residual)]
        kernel = product_kernel(
            device_of(a),
            a.dim(),
            format_of(a.dtype, a_format, "a"),
            format_of(b.dtype, b_format, "b"),
            *types,
            activation,
            dtype,
            reduction,
            accumulate,
            _blocks(a, sa, b, sb),
            alpha is not None,
        )
        plan = _plans.keep(key, (kernel, empty_of(dtype, a.device), shape))
    return plan


def _multiply(kernel, a, sa, b, sb, c, bias, residual, alpha):
    added = []
    if bias is not None:
        bias = bias.view(1, -1)
        if a.dim() == 3:
            bias = bias.expand(a.shape[0], 1, -1)
        added.append(bias.contiguous())
    if residual is not None:
        added.append(residual.contiguous())
    if alpha is not None:
        added.append(alpha.view(1))
    launch(kernel, contiguous(a), sa, contiguous(b), sb, *added, c)


def _new(
    a, sa, b, sb, bias=None, residual=None, activation="", dtype=torch.bfloat16, reduction="any", alpha=None, a_format="", b_format=""
):
    return a.new_empty(_shape(a, b, bias, residual, a_format, b_format), dtype=dtype)


def _matmul(
    a, sa, b, sb, bias=None, residual=None, activation="", dtype=torch.bfloat16, reduction="any", alpha=None, a_format="", b_format=""
):
    kernel, empty, shape = _plan(a, sa, b, sb, bias, residual, activation, dtype, reduction, False, alpha, a_format, b_format)
    c = empty.new_empty(*shape)
    _multiply(kernel, a, sa, b, sb, c, bias, residual, alpha)
    return c


def _require_out(out, shape):
    if out.shape != shape:
        refuse(f"mxc: out of shape {tuple(out.shape)}: expected {tuple(shape)}")
    if not out.is_contiguous():
        refuse(f"mxc: out with strides {out.stride()}: expected a contiguous tensor")


def _check_out(
    a, sa, b, sb, out, bias=None, residual=None, activation="", reduction="any", accumulate=False, alpha=None, a_format="", b_format=""
):
    _require_out(out, _shape(a, b, bias, residual, a_format, b_format))


def _matmul_out(
    a, sa, b, sb, out, bias=None, residual=None, activation="", reduction="any", accumulate=False, alpha=None, a_format="", b_format=""
):
    kernel, _, shape = _plan(a, sa, b, sb, bias, residual, activation, out.dtype, reduction, accumulate, alpha, a_format, b_format)
    _require_out(out, shape)
    _multiply(kernel, a, sa, b, sb, out, bias, residual, alpha)


_OPERANDS = "Tensor a, Tensor sa, Tensor b, Tensor sb"
_EPILOGUE = "Tensor? bias=None, Tensor? residual=None, str activation=''"
_FORMATS = "Tensor? alpha=None, str a_format='', str b_format=''"
_new_result = define(
    f"matmul({_OPERANDS}, {_EPILOGUE}, ScalarType dtype=bfloat16, str reduction='any', {_FORMATS}) -> Tensor", _matmul, _new
)
_given_result = define(
    f"matmul_out({_OPERANDS}, Tensor(out!) out, {_EPILOGUE}, str reduction='any', bool accumulate=False, {_FORMATS}) -> ()",
    _matmul_out,
    _check_out,
)


def matmul(
    a: torch.Tensor,
    sa: torch.Tensor,
    b: torch.Tensor,
    sb: torch.Tensor,
    *,
    bias: Optional[torch.Tensor] = None,
    activation: Optional[str] = None,
    residual: Optional[torch.Tensor] = None,
    dtype: Optional[torch.dtype] = None,
    reduction: str = "any",
    out: Optional[torch.Tensor] = None,
    accumulate: bool = False,
    alpha: Optional[torch.Tensor] = None,
    formats: tuple[str, str] = ("", ""),
) -> torch.Tensor:
    """Returns activation(alpha a b^T + bias) + residual, computed in f32 and rounded once.

    a [.., M, K] and b [.., N, K] are codes, one or a batch of matrices, with scales in the layout of tcgen05, or of f32 as quantize
    makes them with block = "1x128" (a and b) or "128x128" (b), on sm_90a at FP8's full rate; bias is [N],
    residual [.., M, N]. activation: relu, gelu, gelu_tanh, silu, or MLIR text that makes %y of %x, both f32. dtype is the
    result's, bfloat16 by default. With `out` the result is written there, and added to what it held where `accumulate` is
    given. reduction = "sequential": a row has the same bits in every batch (docs/semantics/product.md, P5).

    Codes of e2m1 (float4_e2m1fn_x2) have two elements a byte. formats: of a and of b, "e2m3" or "e3m2" where they are uint8, codes of 6
    bits. alpha: a float32 on the device; of NVFP4 (scales of float8_e4m3fn) the product of the operands' tensor_scale."""
    if out is None:
        if accumulate:
            raise UsageError("mxc: accumulate: expected out=, whose values the product is added to")
        return _new_result(a, sa, b, sb, bias, residual, activation or "", dtype or torch.bfloat16, reduction, alpha, *formats)
    if dtype is not None and dtype != out.dtype:
        raise UsageError(f"mxc: dtype: expected {out.dtype}, as out has, found {dtype}")
    matmul_out(a, sa, b, sb, out, bias, residual, activation, reduction, accumulate, alpha, formats)
    return out


def matmul_out(
    a: torch.Tensor,
    sa: torch.Tensor,
    b: torch.Tensor,
    sb: torch.Tensor,
    out: torch.Tensor,
    bias: Optional[torch.Tensor] = None,
    residual: Optional[torch.Tensor] = None,
    activation: Optional[str] = None,
    reduction: str = "any",
    accumulate: bool = False,
    alpha: Optional[torch.Tensor] = None,
    formats: tuple[str, str] = ("", ""),
) -> None:
    """Does what matmul does with out=."""
    _given_result(a, sa, b, sb, out, bias, residual, activation or "", reduction, accumulate, alpha, *formats)
