"""torch.ops.mxc.matmul and matmul_out: block-scaled products with an epilogue, compiled once for each combination."""

import functools
from typing import Optional

import torch

from .kernels import CODES, MLIR_TYPES, chosen, define, device_of, engine_of, launch, scales_type
from .._errors import UsageError

# What makes %y of %x, both f32. {afn} lets results of 16 bits take the hardware's approximations.
_ACTIVATIONS = {
    "relu": """
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %x, %zero : f32""",
    "gelu": """
    %root = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %y = math.fma %h, %erf, %h : f32""",
    "gelu_tanh": """
    %cubic = arith.constant 0.044715 : f32
    %square = arith.mulf %x, %x : f32
    %one = arith.constant 1.0 : f32
    %inner = math.fma %square, %cubic, %one : f32
    %slope = arith.constant 0.79788456080286536 : f32
    %steep = arith.mulf %x, %slope : f32
    %argument = arith.mulf %steep, %inner : f32
    %t = math.tanh %argument{afn} : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %y = math.fma %h, %t, %h : f32""",
    "silu": """
    %minus = arith.negf %x : f32
    %e = math.exp %minus{afn} : f32
    %one = arith.constant 1.0 : f32
    %below = arith.addf %e, %one : f32
    %y = arith.divf %x, %below{afn} : f32""",
}
_NO_ACTIVATION = ""


def _activation(name, dtype):
    if name == _NO_ACTIVATION:
        return "", "%x"
    if "%" in name:  # MLIR text
        return name, "%y"
    afn = "" if dtype == torch.float32 else " fastmath<afn>"
    return chosen(_ACTIVATIONS, name, "activation").replace("{afn}", afn), "%y"


def _epilogue(bias, residual, activation, dtype):
    """The region's text: activation(product + bias) + residual."""
    if not (bias or residual or activation):
        return ""
    added = "".join(f", %{name}_value: f32" for name, given in (("bias", bias), ("residual", residual)) if given)
    lines, text = [f"  ^bb0(%product: f32{added}):"], _activation(activation, dtype)
    lines.append("    %nothing = arith.constant -0.0 : f32" if not bias else "")
    lines.append(f"    %x = arith.addf %product, {'%bias_value' if bias else '%nothing'} : f32")
    lines.append(text[0])
    result = text[1]
    if residual:
        lines.append(f"    %sum = arith.addf {result}, %residual_value : f32")
        result = "%sum"
    lines.append(f"    mx.yield {result} : f32")
    return " {\n" + "\n".join(line for line in lines if line) + "\n  }"


@functools.lru_cache(maxsize=None)
def _product(device, rank, a, b, bias, residual, activation, dtype, reduction, accumulate):
    lead = "?x" * (rank - 2)
    types = {
        "a": f"memref<{lead}?x?x{chosen(CODES, a, 'dtype of a')}>",
        "sa": scales_type(lead, "tcgen05"),
        "b": f"memref<{lead}?x?x{chosen(CODES, b, 'dtype of b')}>",
        "sb": scales_type(lead, "tcgen05"),
    }
    added = {}
    if bias is not None:
        added["bias"] = f"memref<{lead}1x?x{chosen(MLIR_TYPES, bias, 'dtype of bias')}>"
    if residual is not None:
        added["residual"] = f"memref<{lead}?x?x{chosen(MLIR_TYPES, residual, 'dtype of residual')}>"
    c = f"memref<{lead}?x?x{chosen(MLIR_TYPES, dtype, 'dtype')}>"
    arguments = ", ".join(f"%{name}: {type}" for name, type in {**types, **added, "c": c}.items())
    inputs = f"%a, %sa, %b, %sb : {', '.join(types.values())}"
    extra = f" with({', '.join('%' + name for name in added)} : {', '.join(added.values())})" if added else ""
    clauses = f" reduction = {reduction}" + (" accumulate" if accumulate else "")
    region = _epilogue(bias is not None, residual is not None, activation, dtype)
    return engine_of(device).load(
        f"mx.kernel @matmul({arguments}) {{\n  mx.matmul ins({inputs}){extra} outs(%c : {c}){clauses}{region}\n}}\n",
        name="mxc.torch's matmul",
    )


def _require(condition, message):
    torch._check(condition, lambda: message)


def _shape(a, b, bias, residual):
    """Cheap where nothing is wrong: every call of an operator comes here."""
    size, other = a.shape, b.shape
    rank = len(size)
    if rank not in (2, 3):
        _require(False, f"mxc: a has {rank} dimensions: expected 2 or 3")
    if len(other) != rank:
        _require(False, f"mxc: b has {len(other)} dimensions, and a {rank}: expected the same")
    if size[-1] != other[-1]:
        _require(
            False,
            f"mxc: a has rows of {size[-1]} elements, and b of {other[-1]}: expected a [.., M, K] and b [.., N, K]",
        )
    if rank == 3 and size[0] != other[0]:
        _require(False, f"mxc: a is a batch of {size[0]}, and b of {other[0]}: expected the same")
    shape = (*size[:-1], other[-2])
    if bias is not None and (bias.dim() != 1 or bias.shape[0] != shape[-1]):
        _require(False, f"mxc: bias of shape {tuple(bias.shape)}: expected ({shape[-1]},)")
    if residual is not None and tuple(residual.shape) != shape:
        _require(False, f"mxc: residual of shape {tuple(residual.shape)}: expected {tuple(shape)}")
    return shape


def _multiply(a, sa, b, sb, c, bias, residual, activation, reduction, accumulate):
    added = []
    if bias is not None:
        bias = bias.view(1, -1)
        if a.dim() == 3:
            bias = bias.expand(a.shape[0], 1, -1)
        added.append(bias.contiguous())
    if residual is not None:
        added.append(residual.contiguous())
    kernel = _product(
        device_of(a),
        a.dim(),
        a.dtype,
        b.dtype,
        None if bias is None else bias.dtype,
        None if residual is None else residual.dtype,
        activation,
        c.dtype,
        reduction,
        accumulate,
    )
    launch(kernel, a.contiguous(), sa, b.contiguous(), sb, *added, c)


def _new(a, sa, b, sb, bias=None, residual=None, activation="", dtype=torch.bfloat16, reduction="any"):
    return a.new_empty(_shape(a, b, bias, residual), dtype=dtype)


def _matmul(a, sa, b, sb, bias=None, residual=None, activation="", dtype=torch.bfloat16, reduction="any"):
    c = _new(a, sa, b, sb, bias, residual, activation, dtype, reduction)
    _multiply(a, sa, b, sb, c, bias, residual, activation, reduction, False)
    return c


def _check_out(a, sa, b, sb, out, bias=None, residual=None, activation="", reduction="any", accumulate=False):
    shape = _shape(a, b, bias, residual)
    torch._check(
        tuple(out.shape) == tuple(shape), lambda: f"mxc: out of shape {tuple(out.shape)}: expected {tuple(shape)}"
    )
    torch._check(out.is_contiguous(), lambda: f"mxc: out with strides {out.stride()}: expected a contiguous tensor")


def _matmul_out(a, sa, b, sb, out, bias=None, residual=None, activation="", reduction="any", accumulate=False):
    _check_out(a, sa, b, sb, out, bias, residual)
    _multiply(a, sa, b, sb, out, bias, residual, activation, reduction, accumulate)


_OPERANDS = "Tensor a, Tensor sa, Tensor b, Tensor sb"
_EPILOGUE = "Tensor? bias=None, Tensor? residual=None, str activation=''"
_new_result = define(
    f"matmul({_OPERANDS}, {_EPILOGUE}, ScalarType dtype=bfloat16, str reduction='any') -> Tensor", _matmul, _new
)
_given_result = define(
    f"matmul_out({_OPERANDS}, Tensor(out!) out, {_EPILOGUE}, str reduction='any', bool accumulate=False) -> ()",
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
) -> torch.Tensor:
    """Returns activation(a b^T + bias) + residual, computed in f32 and rounded once.

    a [.., M, K] and b [.., N, K] are codes, one or a batch of matrices, with scales in the layout of tcgen05; bias is [N],
    residual [.., M, N]. activation: relu, gelu, gelu_tanh, silu, or MLIR text that makes %y of %x, both f32. dtype is the
    result's, bfloat16 by default. With `out` the result is written there, and added to what it held where `accumulate` is
    given. reduction = "sequential": a row has the same bits in every batch (docs/semantics.md, P5)."""
    if out is None:
        if accumulate:
            raise UsageError("mxc: accumulate: expected out=, whose values the product is added to")
        return _new_result(a, sa, b, sb, bias, residual, activation or "", dtype or torch.bfloat16, reduction)
    if dtype is not None and dtype != out.dtype:
        raise UsageError(f"mxc: dtype: expected {out.dtype}, as out has, found {dtype}")
    matmul_out(a, sa, b, sb, out, bias, residual, activation, reduction, accumulate)
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
) -> None:
    """Does what matmul does with out=."""
    _given_result(a, sa, b, sb, out, bias, residual, activation or "", reduction, accumulate)
