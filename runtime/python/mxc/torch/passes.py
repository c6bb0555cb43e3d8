"""torch.ops.mxc.linear_forward, linear_backward and linear_input_gradient: what a linear layer launches in a pass of training, as
one operator each. Between launches they make tensors and nothing else: kernels, shapes and types follow from what the arguments
have in common from call to call.

The activation is of the layer's input, which is quantized behind it. Named, it has a slope: the backward pass takes the input, u,
and multiplies by the slope there. MLIR text is taken for a rounding, and rounds the input's gradient, too."""

import torch

from .kernels import CODES, Plans, define, device_of, launch, made_anew, new, refuse
from .products import product_kernel
from .quantizers import outputs_of, plan_of_copies, readable
from .recipes import RECIPES
from .._shapes import product_shape


def _dtype(tensor):
    return None if tensor is None else tensor.dtype


def _shape(tensor):
    return None if tensor is None else tensor.shape


def _kernel(x, format, b, b_block, of, dtype, *, bias=None, residual=None, activation="", slope_at=None):
    """Of the product of x, which is quantized by the recipe, and codes b."""
    added, blocks = (_dtype(bias), _dtype(residual)), (of.block, b_block)
    return product_kernel(
        device_of(x), 2, format, CODES[b.dtype], *added, activation, dtype, "any", False, blocks, False, _dtype(slope_at)
    )


# y = x w^T + bias + residual, and x along columns, which the weight's gradient is made of.


def _new_result(x, wq, bias, residual, dtype):
    return x.new_empty(product_shape(x.shape, wq.shape, _shape(bias), _shape(residual), refuse), dtype=dtype)


def _new_forward(x, wq, ws, bias, residual, dtype, recipe, format, compat, activation):
    copy = outputs_of("column")(x, format, compat=compat, block=RECIPES[recipe].block)
    return _new_result(x, wq, bias, residual, dtype), *copy


def _plan_forward(x, wq, bias, residual, dtype, recipe, format, compat, activation):
    of = RECIPES[recipe]
    quantize, copies = plan_of_copies("both", x, format, compat, of.block, activation)
    multiply = _kernel(x, format, wq, of.weight_block, of, dtype, bias=bias, residual=residual)
    return quantize, multiply, copies + made_anew([_new_result(x, wq, bias, residual, dtype)])


_forward_plans = Plans()


def _forward(x, wq, ws, bias, residual, dtype, recipe, format, compat, activation):
    x = readable(x)
    key = (
        *(x.shape, x.stride(), x.dtype, x.device, wq.shape, wq.dtype, _shape(bias), _dtype(bias), _shape(residual), _dtype(residual)),
        *(dtype, recipe, format, compat, activation),
    )
    plan = _forward_plans.get(key)
    if plan is None:
        plan = _forward_plans.keep(key, _plan_forward(x, wq, bias, residual, dtype, recipe, format, compat, activation))
    quantize, multiply, makers = plan
    q, s, qt, st, y = new(makers)
    launch(quantize, x, q, s, qt, st)
    added = []
    if bias is not None:
        added.append(bias.view(1, -1))
    if residual is not None:
        added.append(residual.contiguous())
    launch(multiply, q, s, wq, ws, *added, y)
    return y, qt, st


# dx = dy w, times the slope at u, and dw = dy^T x.


def _new_input_gradient(dy, wqt, wst, u, dtype, recipe, format, compat, activation):
    return dy.new_empty((dy.shape[0], wqt.shape[0]), dtype=dtype)


def _new_backward(dy, xqt, xst, wqt, wst, u, dtype, weight_dtype, recipe, format, compat, activation):
    dx = dy.new_empty((dy.shape[0], wqt.shape[0]), dtype=dtype)
    return dx, dy.new_empty((dy.shape[1], xqt.shape[0]), dtype=weight_dtype)


def _plan_backward(dy, xqt, wqt, u, dtype, weight_dtype, recipe, format, compat, activation):
    """xqt: None where the weight needs no gradient."""
    of, axis = RECIPES[recipe], "row" if xqt is None else "both"
    quantize, makers = plan_of_copies(axis, dy, format, compat, of.block, "")
    to_input = _kernel(dy, format, wqt, of.weight_block, of, dtype, activation=activation, slope_at=u)
    if xqt is None:
        return quantize, to_input, None, makers + made_anew([_new_input_gradient(dy, wqt, None, u, dtype, recipe, format, compat, activation)])
    results = _new_backward(dy, xqt, None, wqt, None, u, dtype, weight_dtype, recipe, format, compat, activation)
    return quantize, to_input, _kernel(dy, format, xqt, of.block, of, weight_dtype), makers + made_anew(results)


_backward_plans = Plans()


def _plan(dy, xqt, wqt, u, *rule):
    key = (dy.shape, dy.stride(), dy.dtype, dy.device, wqt.shape, wqt.dtype, _shape(xqt), _dtype(xqt), _dtype(u), *rule)
    plan = _backward_plans.get(key)
    return _backward_plans.keep(key, _plan_backward(dy, xqt, wqt, u, *rule)) if plan is None else plan


def _beside(u):
    return () if u is None else (u.contiguous(),)


def _backward(dy, xqt, xst, wqt, wst, u, dtype, weight_dtype, recipe, format, compat, activation):
    dy = readable(dy)
    quantize, to_input, to_weight, makers = _plan(dy, xqt, wqt, u, dtype, weight_dtype, recipe, format, compat, activation)
    q, s, qt, st, dx, dw = new(makers)
    launch(quantize, dy, q, s, qt, st)
    launch(to_input, q, s, wqt, wst, *_beside(u), dx)
    launch(to_weight, qt, st, xqt, xst, dw)
    return dx, dw


def _input_gradient(dy, wqt, wst, u, dtype, recipe, format, compat, activation):
    dy = readable(dy)
    quantize, to_input, _, makers = _plan(dy, None, wqt, u, dtype, None, recipe, format, compat, activation)
    q, s, dx = new(makers)
    launch(quantize, dy, q, s)
    launch(to_input, q, s, wqt, wst, *_beside(u), dx)
    return dx


_RULE = "str recipe, str format, str? compat, str activation"
forward_pass = define(
    f"linear_forward(Tensor x, Tensor wq, Tensor ws, Tensor? bias, Tensor? residual, ScalarType dtype, {_RULE}) -> (Tensor, Tensor, Tensor)",
    _forward,
    _new_forward,
)
backward_pass = define(
    "linear_backward(Tensor dy, Tensor xqt, Tensor xst, Tensor wqt, Tensor wst, Tensor? u, ScalarType dtype, ScalarType weight_dtype, "
    f"{_RULE}) -> (Tensor, Tensor)",
    _backward,
    _new_backward,
)
input_gradient = define(
    f"linear_input_gradient(Tensor dy, Tensor wqt, Tensor wst, Tensor? u, ScalarType dtype, {_RULE}) -> Tensor",
    _input_gradient,
    _new_input_gradient,
)
