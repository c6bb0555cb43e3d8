"""Gradients of linear layers against f64."""

import mxc
import torch
from mxc.torch import MXLinear, linear, mlp
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

    def test_autocast_rounds_as_a_cast_does(self):
        """An f32 that becomes a 16-bit value where it is quantized has that value's bits, and so has its gradient."""
        for dtype in (BF16, torch.float16):
            for compat in (None, "te"):
                layer = MXLinear(64, 40, device=PLACE, compat=compat)
                x, found = random(96, 64, dtype=torch.float32) * 3, []
                x[0, :3] = torch.tensor([float("nan"), float("inf"), 1e30])
                for given in (x, x.to(dtype)):
                    given = given.clone().requires_grad_()
                    layer.weight.grad = None
                    with torch.autocast(PLACE, dtype):
                        y = layer(given)
                        with torch.no_grad():
                            self.assertTrue(torch.equal(layer(given).nan_to_num(), y.nan_to_num()))
                    y.backward(random(96, 40, seed=9).to(dtype))
                    found.append([y.detach(), given.grad.to(dtype), layer.weight.grad])
                    self.assertEqual(given.grad.dtype, given.dtype)
                    self.assertTrue(torch.equal(given.grad, given.grad.to(dtype).to(given.dtype)))
                for ours, casts in zip(*found):
                    self.assertTrue(torch.equal(ours.nan_to_num(), casts.nan_to_num()), (dtype, compat))

    def test_an_activation_between_two_layers(self):
        named = {
            "relu": torch.nn.functional.relu,
            "gelu": torch.nn.functional.gelu,
            "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
            "silu": torch.nn.functional.silu,
        }
        for name, function in named.items():
            for bias, dtype in ((False, BF16), (True, BF16), (False, torch.float32)):
                with self.subTest(name=name, bias=bias, dtype=dtype):
                    up = MXLinear(64, 128, bias=bias, device=PLACE, dtype=dtype)
                    down = MXLinear(128, 40, bias=False, device=PLACE, dtype=dtype)
                    x, dy = random(96, 64, dtype=dtype).requires_grad_(), random(96, 40, dtype=dtype, seed=9)
                    y = mlp(x, up, down, name)
                    y.backward(dy)
                    u = up(x.detach()).detach().double().requires_grad_()
                    h = function(u)
                    self.assertClose(y.detach(), linear(h.detach().float(), down.weight.detach().float()))
                    self.assertClose(down.weight.grad, rounded_columns(dy).T @ rounded_columns(h.detach().float()))
                    dh = rounded(dy) @ rounded_columns(down.weight.detach())
                    h.backward(dh.to(dtype).double())
                    du = u.grad.to(dtype if bias else torch.float32).float()  # a bias takes torch's gradient
                    self.assertClose(x.grad, rounded(du) @ rounded_columns(up.weight.detach()))
                    self.assertClose(up.weight.grad, rounded_columns(du).T @ rounded_columns(x.detach()))
                    if bias:
                        self.assertClose(up.bias.grad, u.grad.sum(0))
                    given, up.weight.requires_grad = x.detach().requires_grad_(), False
                    mlp(given, up, down, name).backward(dy)
                    self.assertClose(given.grad, rounded(u.grad.to(dtype).float()) @ rounded_columns(up.weight.detach()))
                    with torch.no_grad():
                        self.assertTrue(torch.equal(mlp(x, up, down, name), y))
        with self.assertRaisesRegex(mxc.UsageError, "activation: expected relu, gelu, gelu_tanh, silu, found tanh"):
            mlp(x, up, down, "tanh")

    def assertClose(self, found, expected):
        """An approximation, or a value that was rounded to 16 bits, may make another code of one element in a hundred."""
        self.assertLess((found.double() - expected.double()).norm().item(), 8e-3 * expected.double().norm().item())

    def test_a_residual(self):
        up, down = (MXLinear(*sizes, bias=False, device=PLACE, dtype=BF16) for sizes in ((64, 128), (128, 40)))
        layer = MXLinear(64, 40, device=PLACE, dtype=BF16)
        for call in (layer, lambda x, residual=None: mlp(x, up, down, residual=residual)):
            for dtype in (BF16, torch.float32):
                x, residual = random(2, 48, 64).requires_grad_(), random(2, 48, 40, dtype=dtype, seed=3).requires_grad_()
                y, dy = call(x, residual), random(2, 48, 40, dtype=dtype, seed=9)
                self.assertEqual(y.dtype, dtype)
                alone, added = call(x).detach().float(), residual.detach().float()
                self.assertLessEqual(((y.detach().float() - alone - added).abs() - 2.0**-7 * (alone.abs() + added.abs())).max().item(), 0)
                y.backward(dy)
                self.assertTrue(torch.equal(residual.grad, dy))
                self.assertEqual(x.grad.shape, x.shape)

    def test_torch_checks_the_passes(self):
        x, dy, weight = random(48, 64), random(48, 40, seed=9), random(40, 64, seed=2)
        (xqt, xst), (wqt, wst) = (mxc.torch.quantize_column(matrix) for matrix in (x, weight))
        operators, rule = torch.ops.mxc, ("mxfp8", "e4m3", None)
        checks = ("test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")  # torch compares no 8-bit floats for test_schema
        for operator, arguments in (
            (operators.linear_forward, (x, weight, random(40, seed=5), random(48, 40, seed=3), BF16, *rule, "silu")),
            (operators.linear_backward, (dy, xqt, xst, wqt, wst, None, BF16, torch.float32, *rule, "", "")),
            (operators.linear_backward, (dy, xqt, xst, wqt, wst, dy, BF16, torch.float32, *rule, "", "silu")),
        ):
            with self.subTest(str(operator)):
                torch.library.opcheck(operator.default, arguments, test_utils=checks)
