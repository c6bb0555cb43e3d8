"""Linear layers whose three products take FP8 operands by a recipe: forward, and the gradients of input and weight."""

from typing import Callable, Optional

import torch

from .passes import backward_pass, forward_pass, input_gradient
from .products import matmul
from .recipes import recipe_named
from .. import sources
from .._errors import UsageError


def _matrix(x):
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1])


class _Linear(torch.autograd.Function):
    """y = x w^T + bias + residual. Of x its copy along columns is kept for the weight's gradient, of w the one for the input's: the
    blocks of every operand lie along what its product sums over. x may be before(x), which is then computed where x is quantized.

        y  [M, N] = x  [M, K] . w  [N, K]    blocks along K
        dx [M, K] = dy [M, N] . w^T[K, N]    blocks along N
        dw [N, K] = dy^T[N, M] . x^T[K, M]   blocks along M"""

    @staticmethod
    def forward(ctx, x, weight, bias, residual, wq, ws, wqt, wst, dtype, before, format, gradient_format, compat, recipe):
        if ctx.needs_input_grad[1]:
            y, xqt, xst = forward_pass(x, wq, ws, bias, residual, dtype, recipe, format, compat, before)
        else:
            (q, s), xqt, xst = recipe_named(recipe).rows(x, format, compat, activation=before), None, None
            y = matmul(q, s, wq, ws, bias=bias, residual=residual, dtype=dtype)
        ctx.save_for_backward(xqt, xst, wqt, wst, x if _has_slope(before) else None)
        ctx.dtypes = x.dtype, weight.dtype, *(None if added is None else added.dtype for added in (bias, residual))
        ctx.rule = before, gradient_format, compat, recipe
        return y

    @staticmethod
    def backward(ctx, dy):
        xqt, xst, wqt, wst, u = ctx.saved_tensors
        x_dtype, weight_dtype, bias_dtype, residual_dtype = ctx.dtypes
        before, format, compat, recipe = ctx.rule
        needs_x, needs_weight, needs_bias, needs_residual = ctx.needs_input_grad[:4]
        dx = dw = db = None
        if needs_x and needs_weight:
            dx, dw = backward_pass(dy, xqt, xst, wqt, wst, u, x_dtype, weight_dtype, recipe, format, compat, before)
        elif needs_x:
            dx = input_gradient(dy, wqt, wst, u, x_dtype, recipe, format, compat, before)
        elif needs_weight:
            dw = matmul(*recipe_named(recipe).columns(dy, format, compat), xqt, xst, dtype=weight_dtype)
        if needs_bias:
            db = dy.sum(0, dtype=torch.float32).to(bias_dtype)
        dr = dy.to(residual_dtype) if needs_residual else None
        return dx, dw, db, dr, None, None, None, None, None, None, None, None, None, None


def _has_slope(activation):
    """Named ones have; MLIR text has none, and "" is no activation."""
    return activation != "" and "%" not in activation


def linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: Optional[torch.Tensor] = None,
    *,
    activation: Optional[str] = None,
    residual: Optional[torch.Tensor] = None,
    input_activation: Optional[str] = None,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
) -> torch.Tensor:
    """Returns activation(x weight^T + bias) + residual for x [.., K] and weight [N, K], both quantized here by the recipe: "mxfp8",
    or "blockwise" (1x128 and 128x128, sm_90a). Activation and residual are computed in the product's epilogue. The result has x's type,
    promoted by the residual's. input_activation(x) is taken in place of x, computed in f32 where x is quantized: relu, gelu, gelu_tanh or
    silu; its slope multiplies the input's gradient in the product's epilogue. It is differentiable where activation is not given."""
    of = recipe_named(recipe)
    if activation is not None and torch.is_grad_enabled():
        if any(t is not None and t.requires_grad for t in (x, weight, bias, residual)):
            raise UsageError("mxc: linear with an activation has no gradient: expected torch.no_grad(), or none")
    copies = _copies_of(weight, format, compat, of, activation is None)
    return _linear(x, weight, bias, residual, copies, activation, input_activation, format, gradient_format, compat, recipe)


def _copies_of(weight, format, compat, of, may_train=True):
    """The copy along rows, and the one along columns where the input may need its gradient."""
    if may_train and torch.is_grad_enabled():
        return of.weight_both(weight.detach(), format, compat)
    return *of.weight(weight.detach(), format, compat), None, None


_ROUNDING = {dtype: sources.rounded_to(name) for dtype, name in ((torch.bfloat16, "bf16"), (torch.float16, "f16"))}


def _as_autocast(x, before):
    """x, the type to compute in, and what becomes of x where it is quantized. That rounds an f32 to what a cast would have made of it,
    without a pass over memory; compilers fuse casts with what makes x."""
    if not torch.is_autocast_enabled(x.device.type):
        return x, x.dtype, before
    dtype = torch.get_autocast_dtype(x.device.type)
    if x.dtype == torch.float32 and dtype in _ROUNDING and not torch.compiler.is_compiling():
        return x, dtype, before or _ROUNDING[dtype]
    return x.to(dtype), dtype, before


def _linear(x, weight, bias, residual, copies, activation, before, format, gradient_format, compat, recipe):
    if before is not None and "%" in before:
        raise UsageError(f"mxc: input_activation: expected {', '.join(sources.ACTIVATIONS)}, found {before}")
    shape, residual = x.shape, None if residual is None else _matrix(residual)
    x, dtype, before = _as_autocast(_matrix(x), before or "")
    if residual is not None:
        dtype = torch.promote_types(dtype, residual.dtype)
    if activation is None and torch.is_grad_enabled():
        y = _Linear.apply(x, weight, bias, residual, *copies, dtype, before, format, gradient_format, compat, recipe)
    else:
        q, s = recipe_named(recipe).rows(x, format, compat, activation=before)
        y = matmul(q, s, *copies[:2], bias=bias, activation=activation, residual=residual, dtype=dtype)
    return y if len(shape) == 2 else y.view(*shape[:-1], y.shape[-1])


def _captures_training(weight):
    """A graph that changes the weight must quantize it in every replay, whatever is kept when it is captured."""
    return weight.is_cuda and torch.is_grad_enabled() and torch.cuda.is_current_stream_capturing()


class MXLinear(torch.nn.Linear):
    """A linear layer whose products take MXFP8 operands, or another recipe's. Its parameters are nn.Linear's, so that optimizers,
    state_dict, DDP and FSDP2 find what they know; the weight's two copies are made when they are needed, and kept until the
    weight changes.

    format is that of input and weight, gradient_format that of the output's gradient. compat: a preset of docs/semantics.md.
    recipe, input_activation, and the residual of a call: as linear's."""

    def __init__(
        self, *arguments, format="e4m3", gradient_format="e4m3", compat=None, recipe="mxfp8", input_activation=None, **options
    ):
        super().__init__(*arguments, **options)
        self._set_rule(format, gradient_format, compat, recipe, input_activation)

    def _set_rule(self, format, gradient_format, compat, recipe, input_activation):
        recipe_named(recipe)
        self.format, self.gradient_format, self.compat, self.recipe = format, gradient_format, compat, recipe
        self.input_activation = input_activation
        self._kept = None

    @classmethod
    def of(cls, layer, format="e4m3", gradient_format="e4m3", compat=None, recipe="mxfp8", input_activation=None):
        """Returns a layer with the very parameters of an nn.Linear."""
        made = cls.__new__(cls)
        torch.nn.Module.__init__(made)
        made.in_features, made.out_features = layer.in_features, layer.out_features
        made.weight, made.bias = layer.weight, layer.bias
        made._set_rule(format, gradient_format, compat, recipe, input_activation)
        return made.train(layer.training)

    def __setattr__(self, name, value):
        if name == "weight":  # FSDP2 sets it after every gather, whose bytes no version counter counts
            self.__dict__["_kept"] = None
        super().__setattr__(name, value)

    def __getstate__(self):  # copies and pickles make their own
        return {**self.__dict__, "_kept": None}

    def _copies(self, weight):
        if torch.compiler.is_compiling() or _captures_training(weight):
            return _copies_of(weight, self.format, self.compat, recipe_named(self.recipe))
        version = None if weight.is_inference() else weight._version
        key = (weight.data_ptr(), version, weight.dtype, weight.device, self.format, self.compat, self.recipe)
        if self._kept is None or self._kept[0] != key or (torch.is_grad_enabled() and self._kept[1][2] is None):
            self._kept = key, _copies_of(weight, self.format, self.compat, recipe_named(self.recipe))
        return self._kept[1]

    def forward(self, x, residual=None):
        weight, rule = self.weight, (self.format, self.gradient_format, self.compat, self.recipe)
        return _linear(x, weight, self.bias, residual, self._copies(weight), None, self.input_activation, *rule)


class MXInferenceLinear(torch.nn.Module):
    """A linear layer that holds its weight as FP8 alone, half of bf16's bytes, or in 4 bits. It has no gradients."""

    _QUANTIZED = ("weight_codes", "weight_scales", "weight_tensor_scale")

    def __init__(self, layer, format="e4m3", compat=None, recipe="mxfp8"):
        super().__init__()
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.format, self.compat, self.recipe = format, compat, recipe
        weight, of = layer.weight.detach(), recipe_named(recipe, is_for_inference=True)
        tensor_scale = of.tensor_scale(weight)
        codes, scales = of.weight(weight, format, compat, tensor_scale)
        if codes.dtype == torch.float4_e2m1fn_x2:  # which torch neither copies nor casts
            codes = codes.view(torch.uint8)
        for name, buffer in zip(self._QUANTIZED, (codes, scales, tensor_scale)):
            self.register_buffer(name, buffer)
        self.register_buffer("bias", None if layer.bias is None else layer.bias.detach())

    def _apply(self, function, recurse=True):
        """Moves between devices; casts (model.to(torch.bfloat16)) leave codes and scales what they are."""
        before = {name: getattr(self, name) for name in self._QUANTIZED}
        super()._apply(function, recurse)
        for name, buffer in before.items():
            setattr(self, name, None if buffer is None else buffer.to(getattr(self, name).device))
        return self

    def forward(self, x):
        rows, of = _matrix(x), recipe_named(self.recipe, is_for_inference=True)
        tensor_scale = of.tensor_scale(rows)
        q, s = of.rows(rows, self.format, self.compat, tensor_scale)
        alpha = None if tensor_scale is None else tensor_scale * self.weight_tensor_scale
        codes = self.weight_codes
        if codes.dtype == torch.uint8:
            codes = codes.view(torch.float4_e2m1fn_x2)
        y = matmul(q, s, codes, self.weight_scales, bias=self.bias, dtype=x.dtype, alpha=alpha)
        return y.view(*x.shape[:-1], y.shape[-1])

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, format={self.format}, recipe={self.recipe}"


def convert(
    model: torch.nn.Module,
    filter: Callable[[str, torch.nn.Linear], bool] = lambda name, layer: True,
    *,
    inference: bool = False,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
) -> list[str]:
    """Turns the nn.Linear layers of a model, in place, into MXLinear with the same parameters, where filter(name, layer) is
    true; with inference=True into layers that hold quantized weights alone, whose recipe may also be "mxfp4", "mxfp8_mxfp4" (inputs in the
    format, weights in MXFP4) or "nvfp4". Returns the names of those that it turned. A layer
    that the model holds twice stays one. Subclasses of nn.Linear stay as they are, and so does a weight that another module
    shares where inference would separate them."""
    owners = {}
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            owners.setdefault(parameter, []).append(module)
    made, names = {}, []
    for name, layer in list(model.named_modules(remove_duplicate=False)):
        if type(layer) is not torch.nn.Linear or not name:
            continue
        if layer not in made:
            if not filter(name, layer) or (inference and len(owners[layer.weight]) > 1):
                continue
            made[layer] = (
                MXInferenceLinear(layer, format, compat, recipe)
                if inference
                else MXLinear.of(layer, format, gradient_format, compat, recipe)
            )
            names.append(name)
        parent, _, child = name.rpartition(".")
        setattr(model.get_submodule(parent), child, made[layer])
    return names
