"""torch.ops.mxc.linear_forward and linear_backward: what a linear layer launches in a pass of training, as one operator each.
Between launches they make tensors and nothing else: kernels, shapes and types follow from what the arguments have in common
from call to call."""

from .kernels import CODES, Plans, define, device_of, launch, made_anew, new, refuse, value_type, value_type_of
from .products import product_kernel
from .quantizers import outputs_of, plan_of_both, readable
from .recipes import RECIPES
from .._shapes import product_shape


def _dtype(tensor):
    return None if tensor is None else tensor.dtype


def _shape(tensor):
    return None if tensor is None else tensor.shape


def _product(x, format, b, b_block, recipe, dtype, *, bias=None, residual=None, activation=""):
    """The kernel of the product of x, which is quantized by the recipe, and codes b."""
    return product_kernel(
        device_of(x),
        a=format,
        b=CODES[b.dtype],
        result=value_type(dtype, "the result"),
        bias=value_type_of(bias, "bias"),
        residual=value_type_of(residual, "residual"),
        activation=activation,
        blocks=(RECIPES[recipe].block, b_block),
    )


# y = before(x) w^T + bias + residual, and what gradients are made of: before(x) and w along columns.


def _new_forward(x, w, bias, residual, dtype, recipe, format, compat, before):
    of = RECIPES[recipe]
    y = x.new_empty(product_shape(x.shape, w.shape, _shape(bias), _shape(residual), refuse), dtype=dtype)
    columns = (outputs_of("column")(matrix, format, compat=compat, block=block) for matrix, block in ((x, of.block), (w, of.weight_block)))
    return y, *(part for copy in columns for part in copy)


def _plan_forward(x, w, bias, residual, dtype, recipe, format, compat, before):
    of = RECIPES[recipe]
    of_weight, weight_makers = plan_of_both(w, format, compat, of.weight_block, "")
    of_input, makers = plan_of_both(x, format, compat, of.block, before)
    multiply = _product(x, format, new(weight_makers)[0], of.weight_block, recipe, dtype, bias=bias, residual=residual)
    y = _new_forward(x, w, bias, residual, dtype, recipe, format, compat, before)[0]
    return of_weight, of_input, multiply, weight_makers + makers + made_anew([y])


_forward_plans = Plans()


def _forward(x, w, bias, residual, dtype, recipe, format, compat, before):
    x, w = readable(x), readable(w)
    key = (
        *(x.shape, x.stride(), x.dtype, x.device, w.shape, w.stride(), w.dtype),
        *(_shape(bias), _dtype(bias), _shape(residual), _dtype(residual), dtype, recipe, format, compat, before),
    )
    plan = _forward_plans.get(key)
    if plan is None:
        plan = _forward_plans.keep(key, _plan_forward(x, w, bias, residual, dtype, recipe, format, compat, before))
    of_weight, of_input, multiply, makers = plan
    wq, ws, wqt, wst, xq, xs, xqt, xst, y = new(makers)
    launch(of_weight, w, wq, ws, wqt, wst)
    launch(of_input, x, xq, xs, xqt, xst)
    added = []
    if bias is not None:
        added.append(bias.contiguous().view(1, -1))
    if residual is not None:
        added.append(residual.contiguous())
    launch(multiply, xq, xs, wq, ws, *added, y)
    return y, xqt, xst, wqt, wst


# dx = following(dy w) and dw = dy^T x. With y, the layer's result, dy is that of after(y), and becomes y's by after's slope.


def _new_backward(dy, xqt, xst, wqt, wst, y, dtype, weight_dtype, recipe, format, compat, following, after):
    dx = dy.new_empty((dy.shape[0], wqt.shape[0]), dtype=dtype)
    return dx, dy.new_empty((dy.shape[1], xqt.shape[0]), dtype=weight_dtype)


def _plan_backward(dy, xqt, wqt, y, dtype, weight_dtype, recipe, format, compat, following, after):
    of = RECIPES[recipe]
    quantize, makers = plan_of_both(dy, format, compat, of.block, after, is_gradient=y is not None)
    to_input = _product(dy, format, wqt, of.weight_block, recipe, dtype, activation=following)
    to_weight = _product(dy, format, xqt, of.block, recipe, weight_dtype)
    results = _new_backward(dy, xqt, None, wqt, None, y, dtype, weight_dtype, recipe, format, compat, following, after)
    return quantize, to_input, to_weight, makers + made_anew(results)


_backward_plans = Plans()


def _backward(dy, xqt, xst, wqt, wst, y, dtype, weight_dtype, recipe, format, compat, following, after):
    dy = readable(dy) if y is None else dy.contiguous()
    key = (
        *(dy.shape, dy.stride(), dy.dtype, dy.device, wqt.shape, wqt.dtype, xqt.shape, xqt.dtype, y is None),
        *(dtype, weight_dtype, recipe, format, compat, following, after),
    )
    plan = _backward_plans.get(key)
    if plan is None:
        rule = dtype, weight_dtype, recipe, format, compat, following, after
        plan = _backward_plans.keep(key, _plan_backward(dy, xqt, wqt, y, *rule))
    quantize, to_input, to_weight, makers = plan
    q, s, qt, st, dx, dw = new(makers)
    launch(quantize, dy, *(() if y is None else (y,)), q, s, qt, st)
    launch(to_input, q, s, wqt, wst, dx)
    launch(to_weight, qt, st, xqt, xst, dw)
    return dx, dw


_RULE = "str recipe, str format, str? compat"
forward_pass = define(
    f"linear_forward(Tensor x, Tensor w, Tensor? bias, Tensor? residual, ScalarType dtype, {_RULE}, str before) "
    "-> (Tensor, Tensor, Tensor, Tensor, Tensor)",
    _forward,
    _new_forward,
)
backward_pass = define(
    "linear_backward(Tensor dy, Tensor xqt, Tensor xst, Tensor wqt, Tensor wst, Tensor? y, ScalarType dtype, ScalarType weight_dtype, "
    f"{_RULE}, str following, str after) -> (Tensor, Tensor)",
    _backward,
    _new_backward,
)
