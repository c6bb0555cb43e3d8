"""Linear layers whose three products take FP8 operands by a recipe: forward, and the gradients of input and weight."""

import functools
from typing import Callable, Optional

import torch

from .kept import KeptCopies
from .kernels import chosen
from .passes import backward_pass, forward_pass
from .products import matmul
from .recipes import recipe_named
from .. import sources
from .._errors import UsageError


def _matrix(x):
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1])


# dy times an activation's slope at y, where no quantizer multiplies.
_SLOPED = {
    "relu": lambda dy, y: torch.ops.aten.threshold_backward(dy, y, 0),
    "gelu": lambda dy, y: torch.ops.aten.gelu_backward(dy, y),
    "gelu_tanh": lambda dy, y: torch.ops.aten.gelu_backward(dy, y, approximate="tanh"),
    "silu": torch.ops.aten.silu_backward,
}


class _Linear(torch.autograd.Function):
    """y = x w^T + bias + residual. Of x its copy along columns is kept for the weight's gradient, of w the one for the input's: the
    blocks of every operand lie along what its product sums over.

        y  [M, N] = x  [M, K] . w  [N, K]    blocks along K
        dx [M, K] = dy [M, N] . w^T[K, N]    blocks along N
        dw [N, K] = dy^T[N, M] . x^T[K, M]   blocks along M

    before: what becomes of x where it is quantized; behind: what becomes of dx in its product's epilogue. after: an activation that
    the caller takes of y, whose slope it leaves to this: dy is then the gradient of after(y)."""

    @staticmethod
    def forward(ctx, x, weight, bias, residual, dtype, before, behind, after, format, gradient_format, compat, recipe):
        if ctx.needs_input_grad[1]:
            y, xqt, xst, wqt, wst = forward_pass(x, weight, bias, residual, dtype, recipe, format, compat, before)
        else:
            of, xqt, xst = recipe_named(recipe), None, None
            q, s = of.rows(x, format, compat, activation=before)
            wq, ws, wqt, wst = of.weight_both(weight, format, compat)
            y = matmul(q, s, wq, ws, bias=bias, residual=residual, dtype=dtype)
        ctx.save_for_backward(xqt, xst, wqt, wst, y if after else None)
        ctx.dtypes = x.dtype, weight.dtype, *(None if added is None else added.dtype for added in (bias, residual))
        ctx.rule = behind, after, gradient_format, compat, recipe
        return y

    @staticmethod
    def backward(ctx, dy):
        xqt, xst, wqt, wst, y = ctx.saved_tensors
        x_dtype, weight_dtype, bias_dtype, residual_dtype = ctx.dtypes
        behind, after, format, compat, recipe = ctx.rule
        needs_x, needs_weight, needs_bias, needs_residual = ctx.needs_input_grad[:4]
        if after and (needs_bias or not (needs_x and needs_weight)):
            dy, y, after = _SLOPED[after](dy, y), None, ""
        dx = dw = db = None
        if needs_x and needs_weight:
            dx, dw = backward_pass(dy, xqt, xst, wqt, wst, y, x_dtype, weight_dtype, recipe, format, compat, behind, after)
        elif needs_x:
            dx = matmul(*recipe_named(recipe).rows(dy, format, compat), wqt, wst, activation=behind, dtype=x_dtype)
        elif needs_weight:
            dw = matmul(*recipe_named(recipe).columns(dy, format, compat), xqt, xst, dtype=weight_dtype)
        if needs_bias:
            db = dy.sum(0, dtype=torch.float32).to(bias_dtype)
        dr = dy.to(residual_dtype) if needs_residual else None
        return dx, dw, db, dr, *(None,) * 8


def linear(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: Optional[torch.Tensor] = None,
    *,
    activation: Optional[str] = None,
    residual: Optional[torch.Tensor] = None,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
) -> torch.Tensor:
    """Returns activation(x weight^T + bias) + residual for x [.., K] and weight [N, K], both quantized here by the recipe: "mxfp8",
    or "blockwise" (1x128 and 128x128, sm_90a). Activation and residual are computed in the product's epilogue; the result has x's type,
    promoted by the residual's. It is differentiable where no activation is given."""
    if activation is not None and torch.is_grad_enabled():
        if any(t is not None and t.requires_grad for t in (x, weight, bias, residual)):
            raise UsageError("mxc: linear with an activation has no gradient: expected torch.no_grad(), or none")
    made = functools.partial(recipe_named(recipe).weight, weight, format, compat)
    return _linear(x, weight, bias, made, (format, gradient_format, compat, recipe), activation=activation, residual=residual)


_ROUNDING = {dtype: sources.rounded_to(name) for dtype, name in ((torch.bfloat16, "bf16"), (torch.float16, "f16"))}


def _as_autocast(x):
    """x, the type to compute in, and how x is rounded to it where it is quantized. That makes of an f32 what a cast would, without a
    pass over memory; compilers fuse casts with what makes x."""
    if not torch.is_autocast_enabled(x.device.type):
        return x, x.dtype, ""
    dtype = torch.get_autocast_dtype(x.device.type)
    if x.dtype == torch.float32 and dtype in _ROUNDING and not torch.compiler.is_compiling():
        return x, dtype, _ROUNDING[dtype]
    return x.to(dtype), dtype, ""


def _linear(x, weight, bias, quantized, rule, *, activation=None, residual=None, before="", after=""):
    """rule: format, gradient_format, compat and recipe. Before takes the place of a rounding: it is computed in f32. quantized: gives the
    weight's codes and scales where nothing trains."""
    shape, residual = x.shape, None if residual is None else _matrix(residual)
    x, dtype, rounding = _as_autocast(_matrix(x))
    if residual is not None:
        dtype = torch.promote_types(dtype, residual.dtype)
    if activation is None and torch.is_grad_enabled():
        y = _Linear.apply(x, weight, bias, residual, dtype, before or rounding, rounding, after, *rule)
    else:
        format, _, compat, recipe = rule
        q, s = recipe_named(recipe).rows(x, format, compat, activation=before or rounding)
        y = matmul(q, s, *quantized(), bias=bias, activation=activation, residual=residual, dtype=dtype)
    return y if len(shape) == 2 else y.view(*shape[:-1], y.shape[-1])


class MXLinear(torch.nn.Linear):
    """A linear layer whose products take MXFP8 operands, or another recipe's. Its parameters are nn.Linear's, so that optimizers,
    state_dict, DDP and FSDP2 find what they know. Where gradients are enabled every call quantizes the weight; elsewhere (torch.no_grad)
    its copy is kept until the weight changes.

    format is that of input and weight, gradient_format that of the output's gradient. compat: a preset of docs/semantics/presets.md.
    recipe, and the residual of a call: as linear's."""

    def __init__(self, *arguments, format="e4m3", gradient_format="e4m3", compat=None, recipe="mxfp8", **options):
        super().__init__(*arguments, **options)
        self._set_rule(format, gradient_format, compat, recipe)

    def _set_rule(self, format, gradient_format, compat, recipe):
        recipe_named(recipe)
        self.format, self.gradient_format, self.compat, self.recipe = format, gradient_format, compat, recipe
        self._kept = KeptCopies()

    @classmethod
    def of(cls, layer, format="e4m3", gradient_format="e4m3", compat=None, recipe="mxfp8"):
        """Returns a layer with the very parameters of an nn.Linear."""
        made = cls.__new__(cls)
        torch.nn.Module.__init__(made)
        made.in_features, made.out_features = layer.in_features, layer.out_features
        made.weight, made.bias = layer.weight, layer.bias
        made._set_rule(format, gradient_format, compat, recipe)
        return made.train(layer.training)

    def __setattr__(self, name, value):
        if name == "weight" and "_kept" in self.__dict__:  # FSDP2 sets it after every gather, whose bytes no version counter counts
            self._kept.forget("weight")
        super().__setattr__(name, value)

    def forward(self, x, residual=None):
        return self._apply_to(x, residual=residual)

    def _apply_to(self, x, **beside):
        weight, rule = self.weight, (self.format, self.gradient_format, self.compat, self.recipe)
        if torch.is_grad_enabled():
            self._kept.before_training("weight", weight)
        return _linear(x, weight, self.bias, functools.partial(self._quantized, weight), rule, **beside)

    def _quantized(self, weight):
        rule = self.format, self.compat, self.recipe
        return self._kept.of("weight", weight, rule, lambda: recipe_named(self.recipe).weight(weight, self.format, self.compat))


def mlp(
    x: torch.Tensor, up: MXLinear, down: MXLinear, activation: str = "gelu_tanh", residual: Optional[torch.Tensor] = None
) -> torch.Tensor:
    """Returns down(activation(up(x))) + residual. The activation (relu, gelu, gelu_tanh or silu) is computed in f32 where down quantizes its
    input, and its slope where up quantizes its gradient: neither is a pass over memory of its own. Hooks of the two layers are not
    called: under FSDP2 shard the module that holds both."""
    chosen(sources._ACTIVATIONS, activation, "activation")
    return down._apply_to(up._apply_to(x, after=activation), residual=residual, before=activation)


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
