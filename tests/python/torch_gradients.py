"""Gradients of linear layers against f64."""

import mxc
import torch
from mxc.torch import MXLinear, linear
from torch_case import BF16, PLACE, Checks, random, rounded, rounded_columns


class Gradients(Checks):
    def check_gradients(self, call, x, weight, bias, format="e4m3"):
        """y, and the gradients of a random dy, against f64 products of the dequantized operands."""
        y = call(x)
        dy = random(*y.shape, seed=9).to(y.dtype)
        y.backward(dy)
        rows, dys = x.detach().reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
        xr, wr = rounded(rows), rounded(weight.detach())
        shift = 0 if bias is None else bias.detach().double()
        terms = xr.abs() @ wr.abs().T + (0 if bias is None else shift.abs())
        self.assertNear(y.detach().view(dys.shape), xr @ wr.T + shift, terms, y.dtype)
        dyr, dyc = rounded(dys, format), rounded_columns(dys, format)
        wc, xc = rounded_columns(weight.detach()), rounded_columns(rows)
        self.assertNear(x.grad.view(rows.shape), dyr @ wc, dyr.abs() @ wc.abs(), x.dtype)
        self.assertNear(weight.grad, dyc.T @ xc, dyc.abs().T @ xc.abs(), weight.dtype)
        if bias is not None:
            self.assertNear(bias.grad, dys.double().sum(0), dys.double().abs().sum(0), bias.dtype)

    def test_linear(self):
        for dtype in (BF16, torch.float32):
            x = random(4, 24, 64, dtype=dtype).requires_grad_()
            weight, bias = random(40, 64, dtype=dtype, seed=2).requires_grad_(), random(40, dtype=dtype, seed=3).requires_grad_()
            self.check_gradients(lambda x: linear(x, weight, bias), x, weight, bias)

    def test_a_layer_with_another_format_for_gradients(self):
        layer = MXLinear(64, 40, device=PLACE, dtype=BF16, gradient_format="e5m2")
        x = random(96, 64).requires_grad_()
        self.check_gradients(layer, x, layer.weight, layer.bias, "e5m2")

    def test_only_what_is_asked_for(self):
        weight = random(40, 64, seed=2)
        x = random(96, 64).requires_grad_()
        linear(x, weight).sum().backward()
        self.assertIsNone(weight.grad)
        weight.requires_grad_()
        linear(random(96, 64), weight).sum().backward()
        self.assertIsNotNone(weight.grad)

    def test_an_epilogue_has_no_gradient(self):
        x, weight = random(96, 64), random(40, 64, seed=2)
        with torch.no_grad():
            y = linear(x, weight, activation="relu", residual=random(96, 40))
        self.assertEqual(y.shape, (96, 40))
        with self.assertRaisesRegex(mxc.Error, "has no gradient"):
            linear(x, weight.requires_grad_(), activation="relu")

    def test_autocast(self):
        layer = MXLinear(64, 40, device=PLACE)  # f32 masters
        with torch.autocast(PLACE, BF16):
            y = layer(random(96, 64, dtype=torch.float32))
        self.assertEqual(y.dtype, BF16)
        y.sum().backward()
        self.assertEqual(layer.weight.grad.dtype, torch.float32)
