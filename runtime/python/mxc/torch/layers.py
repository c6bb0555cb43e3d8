"""Linear layers whose three products take FP8 operands by a recipe: forward, and the gradients of input and weight."""

import fnmatch
import functools
from typing import Callable, NamedTuple, Optional

import torch

from .gradients import Reverse, once
from .kept import KeptCopies
from .kernels import chosen
from .passes import backward_pass, forward_pass
from .products import matmul
from .quantizers import dequantize
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


class _Pass(NamedTuple):
    """How a linear layer's three products are made. before: what becomes of x where it is quantized; following: what becomes of dx in
    its product's epilogue. after: an activation that the caller takes of y, whose slope it leaves to the layer: dy is then the gradient
    of after(y)."""

    dtype: torch.dtype  # of y
    before: str
    following: str
    after: str
    format: str
    gradient_format: str
    compat: Optional[str]
    recipe: str
    trains_weight: bool


class _Linear(Reverse):
    """y = x w^T + bias + residual. The copy of x along columns is kept for the weight's gradient, that of w for the input's: the
    blocks of every operand lie along what its product sums over.

        y  [M, N] = x  [M, K] . w  [N, K]    blocks along K
        dx [M, K] = dy [M, N] . w^T[K, N]    blocks along N
        dw [N, K] = dy^T[N, M] . x^T[K, M]   blocks along M

    Beside y it returns what backward needs, first the anchor of `once`."""

    @staticmethod
    def forward(x, weight, bias, residual, rule):
        if rule.trains_weight:
            options = rule.dtype, rule.recipe, rule.format, rule.compat, rule.before
            y, *copies = forward_pass(x, weight, bias, residual, *options)
        else:
            of = recipe_named(rule.recipe)
            q, s = of.rows(x, rule.format, rule.compat, activation=rule.before)
            wq, ws, *copies = of.weight_both(weight, rule.format, rule.compat)
            y, copies = matmul(q, s, wq, ws, bias=bias, residual=residual, dtype=rule.dtype), [None, None, *copies]
        return y, y.new_empty(0), *copies

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, bias, residual, rule = inputs
        y, anchor, *copies = output
        ctx.mark_non_differentiable(*(copy for copy in copies if copy is not None))
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(anchor, *copies, y if rule.after else None)
        ctx.dtypes = x.dtype, weight.dtype, *(None if added is None else added.dtype for added in (bias, residual))
        ctx.rule = rule

    @staticmethod
    def backward(ctx, dy, *_):
        if dy is None:
            return (None,) * 5
        compute = functools.partial(_gradients, ctx.needs_input_grad[:4], ctx.dtypes, ctx.rule)
        anchor, *saved = ctx.saved_tensors
        return *once(compute, anchor, dy, *saved), None


def _gradients(needs, dtypes, rule, dy, xqt, xst, wqt, wst, y):
    """The gradients of x, the weight, the bias and the residual."""
    needs_x, needs_weight, needs_bias, needs_residual = needs
    x_dtype, weight_dtype, bias_dtype, residual_dtype = dtypes
    of, format, compat, after = recipe_named(rule.recipe), rule.gradient_format, rule.compat, rule.after
    if after and (needs_bias or not (needs_x and needs_weight)):
        dy, y, after = _SLOPED[after](dy, y), None, ""
    dx = dw = db = None
    if needs_x and needs_weight:
        options = x_dtype, weight_dtype, rule.recipe, format, compat, rule.following, after
        dx, dw = backward_pass(dy, xqt, xst, wqt, wst, y, *options)
    elif needs_x:
        dx = matmul(*of.rows(dy, format, compat), wqt, wst, activation=rule.following, dtype=x_dtype)
    elif needs_weight:
        dw = matmul(*of.columns(dy, format, compat), xqt, xst, dtype=weight_dtype)
    if needs_bias:
        db = dy.sum(0, dtype=torch.float32).to(bias_dtype)
    dr = dy.to(residual_dtype) if needs_residual else None
    return dx, dw, db, dr


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
    if x.is_meta or not torch.is_autocast_enabled(x.device.type):
        return x, x.dtype, ""
    dtype = torch.get_autocast_dtype(x.device.type)
    if x.dtype == torch.float32 and dtype in _ROUNDING and not torch.compiler.is_compiling():
        return x, dtype, _ROUNDING[dtype]
    return x.to(dtype), dtype, ""


def _linear(x, weight, bias, quantized, rule, *, activation=None, residual=None, before="", after=""):
    """rule: format, gradient_format, compat and recipe. Before takes the place of a rounding: it is computed in f32. quantized: gives the
    weight's codes and scales where nothing trains."""
    if hasattr(weight, "device_mesh"):
        raise UsageError(
            "mxc: a layer whose weight is a DTensor: expected one that is whole when it is called, as DDP and fully_shard make it; "
            "parallelize_module's plans (ColwiseParallel, RowwiseParallel) are not for MXLinear"
        )
    shape, residual = x.shape, None if residual is None else _matrix(residual)
    x, dtype, rounding = _as_autocast(_matrix(x))
    if residual is not None:
        dtype = torch.promote_types(dtype, residual.dtype)
    if activation is None and torch.is_grad_enabled():
        y = _Linear.of(x, weight, bias, residual, _Pass(dtype, before or rounding, rounding, after, *rule, weight.requires_grad))[0]
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

    def extra_repr(self):
        rule = f"format={self.format}, gradient_format={self.gradient_format}, recipe={self.recipe}"
        return f"{super().extra_repr()}, {rule}" + (f", compat={self.compat}" if self.compat else "")

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


class _Frozen(Reverse):
    """The product of an inference layer. The gradient of x is dy times the weight's values, a product of torch."""

    @staticmethod
    def forward(x, layer, *weight):
        return layer._product(x, *weight)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.layer, *weight = inputs
        ctx.save_for_backward(*weight)
        ctx.dtype = x.dtype

    @staticmethod
    def backward(ctx, dy):
        values = ctx.layer._values(*ctx.saved_tensors, dtype=dy.dtype)
        return (dy @ values).to(ctx.dtype), *(None,) * 5


class MXInferenceLinear(torch.nn.Module):
    """A linear layer that holds its weight as FP8 alone, half of bf16's bytes, or in 4 bits. The weight has no gradient; the input has
    one, that of the quantized weight."""

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
        rows, weight = _matrix(x), (self.weight_codes, self.weight_scales, self.weight_tensor_scale, self.bias)
        if torch.is_grad_enabled() and x.requires_grad:
            y = _Frozen.of(rows, self, *weight)
        else:
            y = self._product(rows, *weight)
        return y.view(*x.shape[:-1], y.shape[-1])

    def _product(self, rows, codes, scales, tensor_scale, bias):
        q, s, row_scale = recipe_named(self.recipe, is_for_inference=True).rows_alone(rows, self.format, self.compat)
        return matmul(q, s, _pairs(codes), scales, bias=bias, dtype=rows.dtype, alpha=tensor_scale, row_scale=row_scale)

    def _values(self, codes, scales, tensor_scale, bias, dtype):
        return dequantize(_pairs(codes), scales, dtype, tensor_scale=tensor_scale)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, format={self.format}, recipe={self.recipe}"


def _pairs(codes):
    """Codes as their formats are named, of 4 bits too, which layers hold as bytes."""
    return codes.view(torch.float4_e2m1fn_x2) if codes.dtype == torch.uint8 else codes


# Weights that keep their precision where nothing else is said, as `mxc convert` has them.
LEFT_OUT = ("*embed*", "*lm_head*", "*norm*", "*router*", "*.gate.weight", "*shared_expert_gate.weight")


class Converted(list):
    """The names of the layers that convert turned. `left` says of every other layer with weights why it is what it was."""

    def __init__(self):
        super().__init__()
        self.left = {}


_STACKED = "a parameter of three dimensions, as mxc.torch.MoE has them"


def _stacked_matrices(layer):
    if isinstance(layer, (torch.nn.Conv1d, torch.nn.ConvTranspose1d)):
        return []
    return [name for name, value in layer.named_parameters(recurse=False) if value.dim() == 3]


def _stays(name, layer, filter, inference, is_shared):
    """Why a Linear stays what it is, or None."""
    if type(layer) is not torch.nn.Linear:
        return f"a {type(layer).__name__}, a Linear with manners of its own"
    if filter is None and any(fnmatch.fnmatchcase(f"{name}.weight", pattern) for pattern in LEFT_OUT):
        return "left out where no filter is given"
    if filter is not None and not filter(name, layer):
        return "refused by the filter"
    return "its weight is another module's, too" if inference and is_shared else None


def convert(
    model: torch.nn.Module,
    filter: Optional[Callable[[str, torch.nn.Linear], bool]] = None,
    *,
    inference: bool = False,
    format: str = "e4m3",
    gradient_format: str = "e4m3",
    compat: Optional[str] = None,
    recipe: str = "mxfp8",
) -> Converted:
    """Turns the nn.Linear layers of a model, in place, into MXLinear with the same parameters, where filter(name, layer) is
    true; with inference=True into layers that hold quantized weights alone, whose recipe may also be "mxfp4", "mxfp8_mxfp4" (inputs in the
    format, weights in MXFP4) or "nvfp4". Without a filter it takes the layers that `mxc convert` takes, all but those of LEFT_OUT (lm_head,
    routers). Returns the names of those that it turned; their `left` names the others, and parameters of three dimensions (experts in one
    tensor), each with the reason. A layer that the model holds twice stays one. Subclasses of nn.Linear stay as they are, and so does a
    weight that another module shares where inference would separate them."""
    recipe_named(recipe, is_for_inference=inference)
    if isinstance(model, torch.nn.Linear):
        raise UsageError("mxc: convert of a Linear alone: expected a model that holds it, or MXLinear.of(layer)")
    owners = {}
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            owners.setdefault(parameter, []).append(module)
    made, names = {}, Converted()
    for name, layer in list(model.named_modules(remove_duplicate=False)):
        if not isinstance(layer, torch.nn.Linear):
            names.left.update((f"{name}.{key}".lstrip("."), _STACKED) for key in _stacked_matrices(layer))
            continue
        if layer not in made:
            reason = _stays(name, layer, filter, inference, len(owners[layer.weight]) > 1)
            if reason is not None:
                names.left[name] = reason
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
