"""torch.ops.mxc.matmul and matmul_out: block-scaled products with an epilogue, compiled once for each combination."""

import functools
from typing import NamedTuple, Optional

import torch

from .gradients import require_gradients, undifferentiated
from .kernels import Plans, contiguous, define, device_of, empty_of, format_of, launch, load_product, readable_scales, refuse, value_type, value_type_of
from .. import sources
from .._errors import UsageError
from .._shapes import block_of, product_shape, unpacked


@functools.lru_cache(maxsize=None)
def product_kernel(device, **rule):
    """The rule: as sources.matmul takes it."""
    return load_product(device, sources.matmul(**rule), rule["blocks"], "mxc.torch's matmul")


class Rule(NamedTuple):
    """What is made of a product: activation(alpha row_scale a b^T + bias) + residual."""

    bias: Optional[torch.Tensor] = None
    residual: Optional[torch.Tensor] = None
    activation: str = ""
    reduction: str = "any"
    alpha: Optional[torch.Tensor] = None
    row_scale: Optional[torch.Tensor] = None
    a_format: str = ""
    b_format: str = ""

    def likeness(self):
        """What it has in common from call to call."""
        return (
            *(_likeness(self.bias), _likeness(self.residual), self.activation, self.reduction),
            *(self.alpha is None, _likeness(self.row_scale), self.a_format, self.b_format),
        )

    def shape(self, a, b):
        """The result's."""
        added = [None if tensor is None else tensor.shape for tensor in (self.bias, self.residual)]
        formats = format_of(a.dtype, self.a_format, "a"), format_of(b.dtype, self.b_format, "b")
        shape = product_shape(*(unpacked(codes.shape, format) for codes, format in zip((a, b), formats)), *added, refuse)
        if self.row_scale is not None and self.row_scale.shape != (*shape[:-1], 1):
            refuse(f"mxc: row_scale of shape {tuple(self.row_scale.shape)}: expected {(*shape[:-1], 1)}")
        return shape

    def of_kernel(self, a, sa, b, sb, dtype, accumulate):
        return {
            "a": format_of(a.dtype, self.a_format, "a"),
            "b": format_of(b.dtype, self.b_format, "b"),
            "result": value_type(dtype, "the result"),
            "bias": value_type_of(self.bias, "bias"),
            "residual": value_type_of(self.residual, "residual"),
            "activation": self.activation,
            "reduction": self.reduction,
            "accumulate": accumulate,
            "batch": a.dim() == 3,
            "blocks": _blocks(a, sa, b, sb),
            "alpha": self.alpha is not None,
            "row_scale": self.row_scale is not None,
        }

    def arguments(self, a):
        """The kernel's, between operands and result."""
        added = []
        if self.bias is not None:
            bias = self.bias.view(1, -1)
            if a.dim() == 3:
                bias = bias.expand(a.shape[0], 1, -1)
            added.append(bias.contiguous())
        if self.residual is not None:
            added.append(self.residual.contiguous())
        if self.row_scale is not None:
            added.append(self.row_scale.contiguous())
        if self.alpha is not None:
            added.append(self.alpha.view(1))
        return added


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


def _plan(operands, rule, dtype, accumulate=False):
    """The kernel, a tensor to make results of, and the result's shape."""
    a, sa, b, sb = operands
    key = (
        *(a.shape, a.dtype, a.device, b.shape, b.dtype, *rule.likeness(), dtype, accumulate),
        *(sa.dtype, None if sa.dtype != torch.float32 else (sa.shape, sb.shape)),
    )
    plan = _plans.get(key)
    if plan is None:
        shape = rule.shape(a, b)
        kernel = product_kernel(device_of(a), **rule.of_kernel(*operands, dtype, accumulate))
        plan = _plans.keep(key, (kernel, empty_of(dtype, a.device), shape))
    return plan


def kernel_of(a, sa, b, sb, dtype=torch.bfloat16):
    """What matmul launches on such operands."""
    return _plan((a, sa, b, sb), Rule(), dtype)[0]


def _multiply(kernel, operands, c, rule):
    a, sa, b, sb = operands
    launch(kernel, contiguous(a), readable_scales(sa), contiguous(b), readable_scales(sb), *rule.arguments(a), c)


def _new(a, sa, b, sb, dtype=torch.bfloat16, *rule, **named):
    return a.new_empty(Rule(*rule, **named).shape(a, b), dtype=dtype)


def _matmul(a, sa, b, sb, dtype=torch.bfloat16, *rule, **named):
    operands, rule = (a, sa, b, sb), Rule(*rule, **named)
    kernel, empty, shape = _plan(operands, rule, dtype)
    c = empty.new_empty(*shape)
    _multiply(kernel, operands, c, rule)
    return c


def _require_out(out, shape):
    if out.shape != shape:
        refuse(f"mxc: out of shape {tuple(out.shape)}: expected {tuple(shape)}")
    if not out.is_contiguous():
        refuse(f"mxc: out with strides {out.stride()}: expected a contiguous tensor")


def _check_out(a, sa, b, sb, out, accumulate=False, *rule, **named):
    _require_out(out, Rule(*rule, **named).shape(a, b))


def _matmul_out(a, sa, b, sb, out, accumulate=False, *rule, **named):
    operands, rule = (a, sa, b, sb), Rule(*rule, **named)
    kernel, _, shape = _plan(operands, rule, out.dtype, accumulate)
    _require_out(out, shape)
    _multiply(kernel, operands, out, rule)


_OPERANDS = "Tensor a, Tensor sa, Tensor b, Tensor sb"
_RULE = (
    "Tensor? bias=None, Tensor? residual=None, str activation='', str reduction='any', Tensor? alpha=None, Tensor? row_scale=None, "
    "str a_format='', str b_format=''"
)
_new_result = define(f"matmul({_OPERANDS}, ScalarType dtype=bfloat16, {_RULE}) -> Tensor", _matmul, _new)
_given_result = define(
    f"matmul_out({_OPERANDS}, Tensor(out!) out, bool accumulate=False, {_RULE}) -> ()", _matmul_out, _check_out
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
    row_scale: Optional[torch.Tensor] = None,
    formats: tuple[str, str] = ("", ""),
) -> torch.Tensor:
    """Returns activation(alpha row_scale a b^T + bias) + residual, computed in f32 and rounded once. It has no gradient.

    a [.., M, K] and b [.., N, K] are codes, one or a batch of matrices, with scales in the layout of tcgen05, or of f32 as quantize
    makes them with block = "1x128" (a and b) or "128x128" (b), on sm_90a at FP8's full rate; bias is [N],
    residual [.., M, N]. activation: relu, gelu, gelu_tanh, silu, or MLIR text that makes %y of %x, both f32. dtype is the
    result's, bfloat16 by default. With `out` the result is written there, and added to what it held where `accumulate` is
    given. reduction = "sequential": a row has the same bits in every batch (docs/semantics/product.md, P5).

    Codes of e2m1 (float4_e2m1fn_x2) have two elements a byte. formats: of a and of b, "e2m3" or "e3m2" where they are uint8, codes of 6
    bits. alpha: a float32 on the device; of NVFP4 (scales of float8_e4m3fn) the product of the operands' tensor_scale. row_scale: float32
    [.., M, 1], by which each row is multiplied."""
    rule = Rule(bias, residual, activation or "", reduction, alpha, row_scale, *formats)
    if out is None:
        if accumulate:
            raise UsageError("mxc: accumulate: expected out=, whose values the product is added to")
        if require_gradients(a, sa, b, sb, bias, residual, alpha, row_scale):
            return undifferentiated(_new_result, a, sa, b, sb, dtype or torch.bfloat16, *rule)
        return _new_result(a, sa, b, sb, dtype or torch.bfloat16, *rule)
    if dtype is not None and dtype != out.dtype:
        raise UsageError(f"mxc: dtype: expected {out.dtype}, as out has, found {dtype}")
    if require_gradients(a, sa, b, sb, out, bias, residual, alpha, row_scale):
        raise UsageError("mxc: matmul with out= has no gradient: expected torch.no_grad(), or tensors that require none")
    _given_result(a, sa, b, sb, out, accumulate, *rule)
    return out


def matmul_out(a: torch.Tensor, sa: torch.Tensor, b: torch.Tensor, sb: torch.Tensor, out: torch.Tensor, **rule) -> None:
    """Does what matmul does with out=, by the same arguments."""
    matmul(a, sa, b, sb, out=out, **rule)
