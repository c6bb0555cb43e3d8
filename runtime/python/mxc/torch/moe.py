"""A mixture of experts in MXFP8, or in blocks of 128: grouped products with gradients, and a layer of SwiGLU experts."""

import functools
from typing import NamedTuple, Optional, Union

import torch

from .experts import (
    ALIGNMENT,
    _require,
    gather_dot,
    grouped_matmul,
    grouped_swiglu,
    grouped_swiglu_gradient,
    grouped_wgrad,
    new_sums,
    quantize_groups,
)
from .gradients import Reverse, once, require_gradients
from .kept import KeptCopies
from .recipes import recipe_named

Quantized = tuple[torch.Tensor, torch.Tensor]
Places = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _up(rows, align):
    return (rows + align - 1) // align * align


def capacity(rows: int, groups: int, align: int = ALIGNMENT) -> int:
    """How many rows hold so many in groups that begin at multiples of `align`, however they are spread: no launch asks the device."""
    return _up(rows + (align - 1) * min(groups, rows), align)


def _places(groups_of, groups, align):
    """Of entries that lie in groups (int64 [n]; none: the number `groups`): the groups' ends where each begins at a multiple of
    `align`, and each entry's row, -1 of none. Entries of a group keep their order."""
    sorted_groups, order = torch.sort(groups_of, stable=True)
    counts = torch.zeros(groups + 1, dtype=torch.int64, device=groups_of.device)
    counts.scatter_add_(0, groups_of, torch.ones_like(groups_of))
    padded = _up(counts, align)
    begins = padded.cumsum(0) - padded
    before = counts.cumsum(0) - counts
    rows = begins[sorted_groups] + torch.arange(groups_of.numel(), device=groups_of.device) - before[sorted_groups]
    rows = torch.where(sorted_groups < groups, rows, -1)
    places = torch.empty_like(rows).scatter_(0, order, rows)
    return (begins + counts)[:groups].int(), places


def _sources(places, values, rows, nothing):
    """Which of `values` each of `rows` rows has; places that are none go to a row more."""
    spread = torch.full((rows + 1,), nothing, dtype=values.dtype, device=values.device)
    return spread.scatter_(0, torch.where(places < 0, rows, places), values)[:rows]


def _require_experts(indices, experts):
    """In the host's memory, where reading them waits for nothing."""
    if indices.device.type != "cpu" or torch.compiler.is_compiling() or type(indices) is not torch.Tensor or not indices.numel():
        return
    least, largest = (bound.item() for bound in indices.aminmax())
    _require(
        -1 <= least and largest < experts,
        f"indices from {least} to {largest}: expected an expert's, 0 to {experts - 1}, or -1 for no choice",
    )


def expert_rows(
    indices: torch.Tensor, experts: int, align: int = ALIGNMENT
) -> Places:
    """Where the tokens of a router's choices [T, k] lie in the experts' order: the experts' ends [experts], the token of each row
    [capacity(T k, experts, align)], -1 of none, and the row of each choice [T, k], all int32. The choice -1 is none and has row -1; any
    other that is no expert is an error, on a GPU torch's own of an index out of bounds, when the GPU gets there. align: 128, or 1 where
    nothing is summed over the rows (no gradients of weights)."""
    _require(indices.dim() == 2, f"indices have {indices.dim()} dimensions: expected [tokens, k]")
    _require_experts(indices, experts)
    tokens, count = indices.shape
    chosen = indices.reshape(-1).long()
    chosen = torch.where(chosen == -1, experts, chosen + (chosen >= experts))  # beyond `experts` lies nothing to count in
    ends, places = _places(chosen, experts, align)
    token = torch.arange(tokens, device=indices.device).repeat_interleave(count, output_size=tokens * count)
    index = _sources(places, token, capacity(tokens * count, experts, align), -1)
    return ends, index.int(), places.view(tokens, count).int()


def _padded(ends, rows):
    """Of groups that lie side by side: their ends with padding between them, and the row that each padded row has."""
    groups = ends.shape[0]
    group = torch.bucketize(torch.arange(rows, device=ends.device), ends.long(), right=True)
    padded_ends, places = _places(group, groups, ALIGNMENT)
    index = _sources(places, torch.arange(rows, device=ends.device), capacity(rows, groups), -1)
    return padded_ends, index.int()


def weight_copies(
    weight: torch.Tensor, format: str = "e4m3", compat: Optional[str] = None, columns: bool = True, recipe: str = "mxfp8"
):
    """Codes and scales of the experts' weights [G, N, K] along rows and, with `columns`, along columns as [G, K, N]: one reading of
    the weights where N is a multiple of 128."""
    of = recipe_named(recipe)
    groups, n, k = weight.shape
    if n % ALIGNMENT or not weight.is_contiguous():
        return of.weight_both(weight, format, compat) if columns else (*of.weight(weight, format, compat), None, None)
    matrix = weight.view(groups * n, k)
    copies = of.weight_both(matrix, format, compat) if columns else (*of.weight(matrix, format, compat), None, None)
    q, s, qt, st = copies
    if of.has_square_weights:  # the groups' scales follow one another
        s = s.view(groups, n // ALIGNMENT, s.shape[-1])
    if columns:  # one matrix [K, G N]: the groups' codes are views, and their scales are brought together
        qt = qt.view(k, groups, n).transpose(0, 1)
        st = s.mT.contiguous() if of.has_square_weights else _tiles_of_groups(st, groups, n, k)
    return q.view(groups, n, k), s, qt, st


def _tiles_of_groups(st, groups, n, k):
    """Of scales of [K, G N], in tiles of 128 x 4."""
    tiles = st.view(torch.uint8).view(-(-k // ALIGNMENT), groups, n // ALIGNMENT, 512).transpose(0, 1).contiguous()
    return tiles.view(-1).view(torch.float8_e8m0fnu)


class _Grouping(NamedTuple):
    """How rows in groups are multiplied."""

    align: int
    dtype: torch.dtype  # of the result
    format: str
    gradient_format: str
    compat: Optional[str]
    block: str
    trains_weight: bool

    def quantized(self, x, ends, index=None, factors=None, *, axis="both", is_gradient=False):
        format = self.gradient_format if is_gradient else self.format
        align = ALIGNMENT if axis == "column" else self.align
        return quantize_groups(x, ends, index, factors, axis=axis, align=align, format=format, compat=self.compat, block=self.block)


class _GroupedProduct(Reverse):
    """y = x w[g]^T for the rows of each group.

        y  [T, N]    = x  [T, K] . w  [g]     blocks along K
        dx [T, K]    = dy [T, N] . w^T[g]     blocks along N
        dw [G, N, K] = dy^T[N, T] . x^T[K, T] blocks along the group's rows, which begin at multiples of 128

    Beside y it returns what backward needs, first the anchor of `once`."""

    @staticmethod
    def forward(x, weight, ends, wq, ws, wqt, wst, rule):
        xqt = xst = padded_ends = index = None
        if rule.align == ALIGNMENT and rule.trains_weight:
            xq, xs, xqt, xst = rule.quantized(x, ends)
        else:
            xq, xs = rule.quantized(x, ends, axis="row")
        if rule.align != ALIGNMENT and rule.trains_weight:
            padded_ends, index = _padded(ends, x.shape[0])
            xqt, xst = rule.quantized(x, padded_ends, index, axis="column")
        y = grouped_matmul(xq, xs, wq, ws, ends, rule.align, rule.dtype)
        return y, y.new_empty(0), xqt, xst, padded_ends, index

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, ends, _, _, wqt, wst, rule = inputs
        _, anchor, *copies = output
        ctx.mark_non_differentiable(*(copy for copy in copies if copy is not None))
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(anchor, ends, wqt, wst, *copies)
        ctx.rule, ctx.dtypes = rule, (x.dtype, weight.dtype)

    @staticmethod
    def backward(ctx, dy, *_):
        if dy is None:
            return (None,) * 8
        anchor, *saved = ctx.saved_tensors
        compute = functools.partial(_grouped_gradients, ctx.needs_input_grad[:2], ctx.dtypes, ctx.rule)
        return *once(compute, anchor, dy, *saved), *(None,) * 6


def _grouped_gradients(needs, dtypes, rule, dy, ends, wqt, wst, xqt, xst, padded_ends, index):
    """Of x and the weight."""
    needs_x, needs_weight = needs
    x_dtype, weight_dtype = dtypes
    dx = dw = None
    if rule.align == ALIGNMENT and needs_x and needs_weight:
        q, s, qt, st = rule.quantized(dy, ends, is_gradient=True)
    else:
        if needs_x:
            q, s = rule.quantized(dy, ends, axis="row", is_gradient=True)
        if needs_weight:
            places = (ends,) if index is None else (padded_ends, index)
            qt, st = rule.quantized(dy, *places, axis="column", is_gradient=True)
    if needs_x:
        dx = grouped_matmul(q, s, wqt, wst, ends, rule.align, x_dtype)
    if needs_weight:
        dw = grouped_wgrad(qt, st, xqt, xst, ends if index is None else padded_ends, weight_dtype)
    return dx, dw


def _product_by_index(x, weight, ends, index, align, dtype, format, compat, recipe):
    given = [tensor for tensor in (x, weight) if not isinstance(tensor, tuple)]
    _require(
        not torch.is_grad_enabled() or not any(tensor.requires_grad for tensor in given),
        "index: rows of x by index have no gradient; quantize_groups takes an index, too",
    )
    of, rule = recipe_named(recipe), {"format": format, "compat": compat}
    codes = x if isinstance(x, tuple) else of.rows(x, format, compat)
    of_weight = weight if isinstance(weight, tuple) else weight_copies(weight, columns=False, recipe=recipe, **rule)[:2]
    return grouped_matmul(*codes, *of_weight, ends, align, dtype or (torch.bfloat16 if isinstance(x, tuple) else x.dtype), index)


def grouped_mm(
    x: Union[torch.Tensor, Quantized],
    weight: Union[torch.Tensor, Quantized],
    ends: torch.Tensor,
    *,
    align: int = 1,
    dtype: Optional[torch.dtype] = None,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
    index: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    """Returns y [T, N]: group g's rows of x [T, K], from ends[g-1] to ends[g], times weight[g] of [G, N, K]. ends: int32 [G] on the
    device, which no call waits for. With align = 128 group g begins at the next multiple of 128 behind ends[g-1]. Rows of no group
    hold anything in y. x and weight may be codes with their scales (quantize_groups, weight_copies): then there is no gradient.
    recipe: that of what is quantized here, "mxfp8", or "blockwise" (1x128 and weights of 128x128, sm_90a). index: int32 [T] on the
    device, which row of x each row of the groups is, -1 for zeros: then x has the tokens, each once (as codes: those of quantize), and
    there is no gradient."""
    _require(align in (1, ALIGNMENT), f"align: expected 1 or {ALIGNMENT}, found {align}")
    if index is not None:
        return _product_by_index(x, weight, ends, index, align, dtype, format, compat, recipe)
    block, is_quantized = recipe_named(recipe).block, (isinstance(x, tuple), isinstance(weight, tuple))
    if not any(is_quantized):
        copies = weight_copies(weight.detach(), format, compat, require_gradients(x), recipe)
        rule = _Grouping(align, dtype or x.dtype, format, gradient_format, compat, block, require_gradients(weight))
        return _GroupedProduct.of(x, weight, ends, *copies, rule)[0]
    rule = {"format": format, "compat": compat}
    given = x if is_quantized[0] else quantize_groups(x, ends, axis="row", align=align, block=block, **rule)
    of_weight = weight if is_quantized[1] else weight_copies(weight, columns=False, recipe=recipe, **rule)[:2]
    return grouped_matmul(*given, *of_weight, ends, align, dtype or torch.bfloat16)


class _Experts(Reverse):
    """z = x w13^T, h = silu(gate) up, y = h w2^T, and each token's weighted sum of its rows of y. Whatever is quantized is quantized
    along both of its axes from one reading. `keeps`: a gradient may be asked for, which needs z. Beside the sums it returns what backward
    needs, first the anchor of `once`."""

    @staticmethod
    def forward(x, weights, w13, w2, ends, index, rows, copies13, copies2, rule, keeps):
        axis = "row" if rule.align == 1 else "both"
        (w13q, w13s, *_), (w2q, w2s, *_) = copies13, copies2
        xq, xs, *xt = rule.quantized(x, ends, index, axis=axis)
        options = axis, rule.align, x.dtype, rule.format, rule.compat, rule.block
        z, hq, hs, *ht = grouped_swiglu(xq, xs, w13q, w13s, ends, keeps, *options)
        y = grouped_matmul(hq, hs, w2q, w2s, ends, rule.align, x.dtype)
        sums = new_sums(y, rows, weights, x.dtype)
        return sums, sums.new_empty(0), z, y, *(xt or (None, None)), *(ht or (None, None))

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weights, w13, w2, ends, index, rows, copies13, copies2, rule, _ = inputs
        _, anchor, *kept = output
        ctx.mark_non_differentiable(*(tensor for tensor in kept if tensor is not None))
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(anchor, weights, ends, index, rows, *kept, *copies13[2:], *copies2[2:])
        ctx.rule, ctx.dtypes = rule, (x.dtype, w13.dtype, w2.dtype)

    @staticmethod
    def backward(ctx, dout, *_):
        if dout is None:
            return (None,) * 11
        anchor, *saved = ctx.saved_tensors
        compute = functools.partial(_experts_gradients, ctx.needs_input_grad[:4], ctx.dtypes, ctx.rule)
        return *once(compute, anchor, dout, *saved), *(None,) * 7


def _experts_gradients(
    needs, dtypes, rule, dout, weights, ends, index, rows, z, y, xqt, xst, hqt, hst, w13qt, w13st, w2qt, w2st
):
    """Of x, the routing weights, w13 and w2."""
    needs_x, needs_weights, needs_w13, needs_w2 = needs
    x_dtype, w13_dtype, w2_dtype = dtypes
    axis = "row" if rule.align == 1 else "both"
    dx = dweights = dw13 = dw2 = None
    if needs_weights:
        dweights = gather_dot(dout, y, rows)
    factors = _sources(rows.flatten().long(), weights.flatten(), index.shape[0], 0)
    q, s, *t = rule.quantized(dout, ends, index, factors, axis=axis, is_gradient=True)
    if needs_w2:
        dw2 = grouped_wgrad(*t, hqt, hst, ends, w2_dtype)
    if needs_x or needs_w13:
        dz = grouped_swiglu_gradient(q, s, w2qt, w2st, ends, z, rule.align)
        q, s, *t = rule.quantized(dz, ends, axis=axis, is_gradient=True)
    if needs_w13:
        dw13 = grouped_wgrad(*t, xqt, xst, ends, w13_dtype)
    if needs_x:
        dx = new_sums(grouped_matmul(q, s, w13qt, w13st, ends, rule.align, x_dtype), rows, None, x_dtype)
    return dx, dweights, dw13, dw2


class MoE(torch.nn.Module):
    """The experts of a mixture: of each token x the sum over its choices of weight * w2 (silu(gate) * up), [gate up] = w13 x. The
    router is the model's: forward takes its choices.

    w13: [experts, 2 hidden, features], gate's rows before up's; w2: [experts, features, hidden]. Where gradients are enabled every
    call makes their copies in FP8; elsewhere (torch.no_grad) those along rows are kept until the weights change. format is that of
    inputs and weights, gradient_format that of gradients.
    recipe: as grouped_mm's."""

    def __init__(
        self, experts, features, hidden, *, device=None, dtype=None, format="e4m3", gradient_format="e4m3", compat=None, recipe="mxfp8"
    ):
        super().__init__()
        recipe_named(recipe)
        options = {"device": device, "dtype": dtype}
        self.w13 = torch.nn.Parameter(torch.empty(experts, 2 * hidden, features, **options))
        self.w2 = torch.nn.Parameter(torch.empty(experts, features, hidden, **options))
        self.format, self.gradient_format, self.compat, self.recipe = format, gradient_format, compat, recipe
        self._kept = KeptCopies()
        self.reset_parameters()

    def reset_parameters(self):
        for weight in (self.w13, self.w2):
            torch.nn.init.uniform_(weight, -(weight.shape[2] ** -0.5), weight.shape[2] ** -0.5)

    def __setattr__(self, name, value):
        if name in ("w13", "w2") and "_kept" in self.__dict__:  # FSDP2 sets them after every gather, whose bytes no version counter counts
            self._kept.forget(name)
        super().__setattr__(name, value)

    def _copies(self, name):
        weight, columns, rule = getattr(self, name), torch.is_grad_enabled(), (self.format, self.compat, self.recipe)
        return self._kept.of(name, weight, rule, lambda: weight_copies(weight.detach(), self.format, self.compat, columns, self.recipe))

    def alignment(self) -> int:
        """Of the rows' groups: 128 where the weights have gradients, which are sums over them."""
        trains = torch.is_grad_enabled() and (self.w13.requires_grad or self.w2.requires_grad)
        return ALIGNMENT if trains else 1

    def forward(
        self, x: torch.Tensor, indices: torch.Tensor, weights: torch.Tensor, places: Optional[Places] = None
    ) -> torch.Tensor:
        """x: [.., features]; indices: the router's choices [.., k], k up to 16, of which -1 is none; weights: [.., k]. places:
        expert_rows(indices, experts, layer.alignment()), where the caller has it already."""
        _require(indices.shape == weights.shape, f"weights of shape {tuple(weights.shape)}: expected {tuple(indices.shape)}")
        tokens, count = x.reshape(-1, x.shape[-1]), indices.shape[-1]
        align = self.alignment()
        ends, index, rows = places or expert_rows(indices.reshape(-1, count), self.w13.shape[0], align)
        keeps = torch.is_grad_enabled() and any(tensor.requires_grad for tensor in (x, weights, self.w13, self.w2))
        block, trains = recipe_named(self.recipe).block, align == ALIGNMENT
        rule = _Grouping(align, tokens.dtype, self.format, self.gradient_format, self.compat, block, trains)
        weights = weights.reshape(-1, count).float()
        copies = self._copies("w13"), self._copies("w2")
        y = _Experts.of(tokens, weights, self.w13, self.w2, ends, index, rows, *copies, rule, keeps)[0]
        return y.view(*x.shape[:-1], y.shape[-1])

    def extra_repr(self):
        experts, features, hidden = self.w2.shape
        return f"experts={experts}, features={features}, hidden={hidden}, format={self.format}, recipe={self.recipe}"
