"""torch.ops.mxc's operators of a mixture of experts: quantizers and products of rows in groups, and the sums back to tokens. Where
groups end lies on the device, and nothing here reads it: no call waits for the GPU."""

import functools
from typing import Optional

import torch

from .gradients import Reverse, require_gradients, undifferentiated
from .kernels import EIGHT_BIT_CODES, EIGHT_BITS, MLIR_TYPES, SCALES, chosen, define, device_of, launch, load_product, readable_scales, refuse
from .quantizers import readable
from .. import _expert_sources
from .._formats import scale_of
from .._shapes import block_of, layout_of, scale_shape

ALIGNMENT = 128  # rows: groups that a product sums over begin at multiples of it


def _require(condition, message):
    if not condition:
        torch._check(False, lambda: f"mxc: {message}")


@functools.lru_cache(maxsize=None)
def _kernel(device, maker, *arguments, blocks=("1x32", "1x32")):
    source = getattr(_expert_sources, maker)(*arguments)
    return load_product(device, source, blocks, f"mxc.torch's {maker} of experts")


def _type(tensor, what):
    return chosen(MLIR_TYPES, tensor.dtype, f"dtype of {what}")


def _code(tensor, what):
    return chosen(EIGHT_BIT_CODES, tensor.dtype, f"dtype of {what}")


def _halves(z):
    """Gate and up, views of one matrix."""
    half = z.shape[1] // 2
    return z[:, :half], z[:, half:]


def _matrices(b):
    """b [G, N, K] as products read it: the rows of a group are contiguous and do not overlap, even if they lie apart."""
    return b if b.is_contiguous() or (b.stride(2) == 1 and b.stride(1) >= b.shape[2] and b.stride(0) > 0) else b.contiguous()


# Quantizers.


def _scale_rows(rows, groups, align):
    """With align = 1 every group has whole tiles of its own."""
    return rows if align == ALIGNMENT else max(-(-rows // ALIGNMENT) + groups - 1, 0) * ALIGNMENT


def _copies(x, ends, index=None, factors=None, is_swiglu=False, axis="both", align=ALIGNMENT, format="e4m3", compat=None, block="1x32"):
    _require(x.dim() == 2 and ends.dim() == 1, f"x and ends have {x.dim()} and {ends.dim()} dimensions: expected 2 and 1")
    _require(not is_swiglu or x.shape[1] % 2 == 0, f"x has {x.shape[1]} columns: expected two halves, gate and up")
    rows, columns = x.shape[0] if index is None else index.shape[0], x.shape[1] // (2 if is_swiglu else 1)
    return _new_copies(x, rows, columns, ends.shape[0], axis, align, format, block)


def _new_copies(x, rows, columns, groups, axis, align, format, block):
    dtype, made = chosen(EIGHT_BITS, format, "format"), []
    lines = _scale_rows(rows, groups, align)
    layout, of_scale = layout_of("tcgen05", block), SCALES[scale_of(block)]
    if axis != "column":
        made += [x.new_empty((rows, columns), dtype=dtype), x.new_empty(scale_shape(lines, columns, layout, block), dtype=of_scale)]
    if axis != "row":
        made += [x.new_empty((columns, rows), dtype=dtype), x.new_empty(scale_shape(columns, lines, layout, block), dtype=of_scale)]
    return made


def _quantize(x, ends, index=None, factors=None, is_swiglu=False, axis="both", align=ALIGNMENT, format="e4m3", compat=None, block="1x32"):
    made = _copies(x, ends, index, factors, is_swiglu, axis, align, format, compat, block)
    if not ends.shape[0]:
        return made
    x = readable(x)
    options = (format, axis, align, compat, index is not None, factors is not None, is_swiglu, block)
    kernel = _kernel(device_of(x), "quantize", _type(x, "x"), *options)
    given = [tensor.contiguous() for tensor in (ends, index, factors) if tensor is not None]
    launch(kernel, *(_halves(x) if is_swiglu else (x,)), *given, *made)
    return made


_quantize_groups = define(
    "quantize_groups(Tensor x, Tensor ends, Tensor? index=None, Tensor? factors=None, bool is_swiglu=False, str axis='both', "
    "int align=128, str format='e4m3', str? compat=None, str block='1x32') -> Tensor[]",
    _quantize,
    _copies,
)


def quantize_groups(
    x: torch.Tensor,
    ends: torch.Tensor,
    index: Optional[torch.Tensor] = None,
    factors: Optional[torch.Tensor] = None,
    *,
    is_swiglu: bool = False,
    axis: str = "both",
    align: int = ALIGNMENT,
    format: str = "e4m3",
    compat: Optional[str] = None,
    block: str = "1x32",
) -> list[torch.Tensor]:
    """Returns codes and scales along rows (axis = "row"), along columns ("column") or both, of rows in groups: group g has the rows
    from roundup(ends[g-1], align) to ends[g], int32 on the device. index: which row of x each row is, -1 for zeros. factors: f32,
    one for each row. is_swiglu: what is quantized is silu(gate) * up of x = [gate up]. block: "1x128" has scales of f32, as quantize
    makes them."""
    arguments = x, ends, index, factors, is_swiglu, axis, align, format, compat, block
    if require_gradients(x, factors):
        return list(undifferentiated(_quantize_groups, *arguments))
    return _quantize_groups(*arguments)


# Products.


def _check_product(a, b, ends):
    _require(a.dim() == 2 and b.dim() == 3, f"a and b have {a.dim()} and {b.dim()} dimensions: expected [T, K] and [G, N, K]")
    _require(a.shape[1] == b.shape[2], f"a has rows of {a.shape[1]} elements, and b of {b.shape[2]}: expected the same")
    _require(b.shape[0] == ends.shape[0], f"b has {b.shape[0]} groups, and ends {ends.shape[0]}: expected the same")


def _blocks(a, sa, b, sb, ends, align, index=None):
    """Of a and of b, by the type of their scales and, of f32, by their shapes."""
    if sa.dtype != torch.float32:
        return ("1x32", "1x32")
    lines = _scale_rows(a.shape[0], ends.shape[0], align) if index is None else a.shape[0]
    expected = scale_shape(lines, a.shape[1], "mn_major", "1x128")
    _require(tuple(sa.shape) == expected, f"scales of a of shape {tuple(sa.shape)}: expected {expected}, of blocks of 1x128")
    block, layout = block_of(b.shape, sb.shape, refuse)
    _require(layout == layout_of("tcgen05", block), f"scales of b are {layout}: expected those of blocks of 128x128, or mn_major ones")
    return ("1x128", block)


def _new_product(a, sa, b, sb, ends, align=ALIGNMENT, dtype=torch.bfloat16, index=None):
    _check_product(a, b, ends)
    _require(index is None or index.dim() == 1, "index: expected one row of a for each row of the groups, a vector")
    return a.new_empty(((a if index is None else index).shape[0], b.shape[1]), dtype=dtype)


def _multiply(a, sa, b, sb, ends, align=ALIGNMENT, dtype=torch.bfloat16, index=None):
    c = _new_product(a, sa, b, sb, ends, align, dtype, index)
    if not ends.shape[0]:
        return c.zero_()
    blocks = _blocks(a, sa, b, sb, ends, align, index)
    options = (_code(a, "a"), _code(b, "b"), _type(c, "the result"), align, False, blocks, index is not None)
    given = [tensor.contiguous() for tensor in (ends, index) if tensor is not None]
    kernel = _kernel(device_of(a), "matmul", *options, blocks=blocks)
    launch(kernel, a.contiguous(), readable_scales(sa), _matrices(b), readable_scales(sb), *given, c)
    return c


_grouped_matmul = define(
    "grouped_matmul(Tensor a, Tensor sa, Tensor b, Tensor sb, Tensor ends, int align=128, ScalarType dtype=bfloat16, Tensor? index=None) "
    "-> Tensor",
    _multiply,
    _new_product,
)


def grouped_matmul(a, sa, b, sb, ends, align=ALIGNMENT, dtype=torch.bfloat16, index=None):
    """Returns c [T, N]: each group's rows of a [T, K] times its b [G, N, K]. Rows of no group hold anything. Scales of f32 are those of
    blocks of 1x128 of a, and of 128x128 (or 1x128) of b. index: int32 [T], which row of a each row is, -1 for zeros; a and its scales
    are then those of all tokens, as quantize makes them."""
    arguments = a, sa, b, sb, ends, align, dtype, index
    if require_gradients(a, sa, b, sb):
        return undifferentiated(_grouped_matmul, *arguments)
    return _grouped_matmul(*arguments)


@functools.lru_cache(maxsize=None)
def _chip(device):
    """The number in its chip's name: 90, 100, 120."""
    name, _, chip = device.partition(":")
    if name == "simulator":
        return int("".join(filter(str.isdigit, chip)))
    major, minor = torch.cuda.get_device_capability(torch.device(device))
    return 10 * major + minor


def _takes_parts(a, sa, b, keeps, axis):
    """Whether one launch makes both halves and what becomes of them: in blocks of 1x32, where tiles of scales are of one half. Of many
    rows where sums lie in tensor memory: on sm_90a an epilogue runs while nothing is multiplied, and two launches take less where K is
    short (docs/performance/products.md). Of few rows on sm_90a alone, whose tiles of few rows quantize along rows; sm_120a has no such
    products."""
    groups, rows, _ = b.shape
    if sa.dtype == torch.float32 or rows % (2 * ALIGNMENT):
        return False
    chip = _chip(device_of(a))
    if a.shape[0] <= 56 * groups:
        return chip == 90 and axis == "row" and not keeps
    return chip // 10 == 10


def _new_activated(
    a, sa, b, sb, ends, keeps=True, axis="both", align=ALIGNMENT, dtype=torch.bfloat16, format="e4m3", compat=None, block="1x32"
):
    _check_product(a, b, ends)
    _require(b.shape[1] % 2 == 0, f"b has {b.shape[1]} rows: expected two halves, gate's and up's")
    z = a.new_empty((a.shape[0] if keeps else 0, b.shape[1]), dtype=dtype)
    return [z, *_new_copies(z, a.shape[0], b.shape[1] // 2, ends.shape[0], axis, align, format, block)]


def _activate(
    a, sa, b, sb, ends, keeps=True, axis="both", align=ALIGNMENT, dtype=torch.bfloat16, format="e4m3", compat=None, block="1x32"
):
    if not _takes_parts(a, sa, b, keeps, axis):
        z = _multiply(a, sa, b, sb, ends, align, dtype)
        made = _quantize(z, ends, is_swiglu=True, axis=axis, align=align, format=format, compat=compat, block=block)
        return [z if keeps else z.new_empty((0, z.shape[1])), *made]
    z, *made = _new_activated(a, sa, b, sb, ends, keeps, axis, align, dtype, format, compat, block)
    of_z = _type(z, "z") if keeps else None
    kernel = _kernel(device_of(a), "swiglu", _code(a, "a"), _code(b, "b"), of_z, axis, align, format, compat)
    parts = b.contiguous().view(b.shape[0], 2, b.shape[1] // 2, b.shape[2])
    launch(kernel, a.contiguous(), readable_scales(sa), parts, readable_scales(sb), ends.contiguous(), *(_halves(z) if keeps else ()), *made)
    return [z, *made]


grouped_swiglu = define(
    "grouped_swiglu(Tensor a, Tensor sa, Tensor b, Tensor sb, Tensor ends, bool keeps=True, str axis='both', int align=128, "
    "ScalarType dtype=bfloat16, str format='e4m3', str? compat=None, str block='1x32') -> Tensor[]",
    _activate,
    _new_activated,
)


def _new_swiglu(dy, sdy, w, sw, ends, z, align=ALIGNMENT):
    _check_product(dy, w, ends)
    expected = (dy.shape[0], 2 * w.shape[1])
    _require(z.shape == expected, f"z of shape {tuple(z.shape)}: expected {expected}")
    return torch.empty_like(z, memory_format=torch.contiguous_format)


def _swiglu(dy, sdy, w, sw, ends, z, align=ALIGNMENT):
    dz = _new_swiglu(dy, sdy, w, sw, ends, z)
    if not ends.shape[0]:
        return dz.zero_()
    kernel = _kernel(device_of(dy), "matmul", _code(dy, "dy"), _code(w, "w"), _type(z, "z"), align, True, _blocks(dy, sdy, w, sw, ends, align))
    launch(kernel, dy.contiguous(), readable_scales(sdy), _matrices(w), readable_scales(sw), ends.contiguous(), *_halves(readable(z)), *_halves(dz))
    return dz


grouped_swiglu_gradient = define(
    "grouped_swiglu_gradient(Tensor dy, Tensor sdy, Tensor w, Tensor sw, Tensor ends, Tensor z, int align=128) -> Tensor",
    _swiglu,
    _new_swiglu,
)


def _new_gradient(a, sa, b, sb, ends, dtype=torch.bfloat16):
    _require(a.dim() == 2 and b.dim() == 2, f"a and b have {a.dim()} and {b.dim()} dimensions: expected [M, T] and [N, T]")
    _require(a.shape[1] == b.shape[1], f"a has {a.shape[1]} tokens, and b {b.shape[1]}: expected the same")
    return a.new_empty((ends.shape[0], a.shape[0], b.shape[0]), dtype=dtype)


def _gradient(a, sa, b, sb, ends, dtype=torch.bfloat16):
    c = _new_gradient(a, sa, b, sb, ends, dtype)
    if not ends.shape[0]:
        return c
    block = "1x128" if sa.dtype == torch.float32 else "1x32"
    kernel = _kernel(device_of(a), "wgrad", _code(a, "a"), _code(b, "b"), _type(c, "the result"), block)
    launch(kernel, a.contiguous(), readable_scales(sa), b.contiguous(), readable_scales(sb), ends.contiguous(), c)
    return c


grouped_wgrad = define(
    "grouped_wgrad(Tensor a, Tensor sa, Tensor b, Tensor sb, Tensor ends, ScalarType dtype=bfloat16) -> Tensor",
    _gradient,
    _new_gradient,
)


# Sums back to tokens.


def _empty_sums(h, rows, weights=None, dtype=torch.bfloat16):
    _require(h.dim() == 2 and rows.dim() == 2, f"h and rows have {h.dim()} and {rows.dim()} dimensions: expected 2")
    _require(
        weights is None or weights.shape == rows.shape,
        f"weights of shape {None if weights is None else tuple(weights.shape)}: expected {tuple(rows.shape)}",
    )
    return h.new_empty((rows.shape[0], h.shape[1]), dtype=dtype)


def _combine(h, rows, weights=None, dtype=torch.bfloat16):
    y = _empty_sums(h, rows, weights, dtype)
    options = (_type(h, "h"), _type(y, "the result"), rows.shape[1], weights is not None)
    given = [] if weights is None else [weights.contiguous()]
    launch(_kernel(device_of(h), "combine", *options), h.contiguous(), rows.contiguous(), *given, y)
    return y


new_sums = define("combine(Tensor h, Tensor rows, Tensor? weights=None, ScalarType dtype=bfloat16) -> Tensor", _combine, _empty_sums)


def _new_dots(left, right, rows):
    _require(left.shape[0] == rows.shape[0], f"rows for {rows.shape[0]} rows: expected {left.shape[0]}")
    return left.new_empty(rows.shape, dtype=torch.float32)


def _dots(left, right, rows):
    dots = _new_dots(left, right, rows)
    kernel = _kernel(device_of(left), "gather_dot", _type(left, "left"), _type(right, "right"), rows.shape[1])
    launch(kernel, left.contiguous(), right.contiguous(), rows.contiguous(), dots)
    return dots


gather_dot = define("gather_dot(Tensor left, Tensor right, Tensor rows) -> Tensor", _dots, _new_dots)


class _Combine(Reverse):
    @staticmethod
    def forward(h, rows, weights, dtype):
        return new_sums(h, rows, weights, dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        h, rows, weights, _ = inputs
        ctx.save_for_backward(h, rows, weights)

    @staticmethod
    def backward(ctx, dy):
        h, rows, weights = ctx.saved_tensors
        dh = dweights = None
        if ctx.needs_input_grad[0]:
            exists = (rows >= 0) & (rows < h.shape[0])
            factors = exists.float() if weights is None else torch.where(exists, weights, 0)
            parts = (factors.unsqueeze(-1) * dy.float().unsqueeze(1)).flatten(0, 1)
            places = torch.where(exists, rows, 0).flatten().long()
            dh = torch.zeros(h.shape, dtype=torch.float32, device=h.device).index_add_(0, places, parts).to(h.dtype)
        if weights is not None and ctx.needs_input_grad[2]:
            of_weights = dy, h, rows
            dweights = undifferentiated(gather_dot, *of_weights) if require_gradients(dy, h) else gather_dot(*of_weights)
        return dh, None, dweights, None


def combine(
    h: torch.Tensor, rows: torch.Tensor, weights: Optional[torch.Tensor] = None, dtype: Optional[torch.dtype] = None
) -> torch.Tensor:
    """Returns y [T, K] with y[t] = sum over j of weights[t, j] * h[rows[t, j]], in f32 and in the order of j. rows: int32 [T, k], k up
    to 16; what is no row of h counts as nothing. weights: f32, or None for sums alone."""
    return _Combine.of(h, rows, weights, dtype or h.dtype)
