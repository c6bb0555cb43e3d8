"""Derivatives of layers and operators by every road of torch: they are right, or an error says that there are none."""

import mxc
import torch
from mxc.torch import MoE, MXLinear, combine, convert, dequantize, grouped_mm, linear, matmul, quantize
from torch_case import BF16, PLACE, Checks, random

NO_SECOND = r"the gradient of a layer's gradients \(double backward\) is asked for"


class Derivatives(Checks):
    def layer(self):
        layer = MXLinear(64, 40, device=PLACE)
        return layer, {name: parameter.detach() for name, parameter in layer.named_parameters()}

    @staticmethod
    def loss(layer):
        return lambda parameters, x: torch.func.functional_call(layer, parameters, (x,)).square().sum()

    def test_gradients_of_gradients_are_an_error(self):
        x, weight, bias = (random(*shape, dtype=torch.float32, seed=len(shape)).requires_grad_() for shape in ((48, 64), (40, 64), (40,)))
        experts, indices = MoE(2, 128, 128, device=PLACE, dtype=BF16), torch.tensor([[0, 1]] * 4, device=PLACE)
        tokens, weights = random(4, 128).requires_grad_(), random(4, 2, dtype=torch.float32).requires_grad_()
        groups, ends = random(2, 64, 128).requires_grad_(), torch.tensor([1, 4], dtype=torch.int32, device=PLACE)
        for name, y, given, other in (
            ("x, then the weight", linear(x, weight, bias), x, weight),
            ("the weight, then x", linear(x, weight, bias), weight, x),
            ("x, then the bias", linear(x, weight, bias), x, bias),
            ("the bias, then x", linear(x, weight, bias), bias, x),
            ("no weight's", linear(x, weight.detach()), x, x),
            ("groups", grouped_mm(tokens, groups, ends), tokens, groups),
            ("experts", experts(tokens, indices, weights), tokens, experts.w13),
            ("routing weights", experts(tokens, indices, weights), weights, experts.w2),
        ):
            for loss in (y.float().sum(), y.float().square().sum()):  # whose dy is a constant, and depends on all
                with self.subTest(name):
                    (first,) = torch.autograd.grad(loss, given, create_graph=True, retain_graph=True)
                    with self.assertRaisesRegex(mxc.UsageError, NO_SECOND):
                        torch.autograd.grad(first.float().square().sum() + other.float().sum(), other, retain_graph=True)

    def test_a_graph_of_gradients_that_nobody_asks(self):
        layer, _ = self.layer()
        x = random(8, 64, dtype=torch.float32).requires_grad_()
        layer(x).sum().backward(create_graph=True)
        found = x.grad.detach().clone(), layer.weight.grad.detach().clone()
        x.grad = layer.weight.grad = None
        layer(x).sum().backward()
        self.assertTrue(torch.equal(found[0], x.grad) and torch.equal(found[1], layer.weight.grad))

    def test_functions_of_torch_func(self):
        layer, parameters = self.layer()
        x, loss = random(3, 8, 64, dtype=torch.float32), self.loss(layer)
        gradients = torch.func.grad(loss)(parameters, x[0])
        loss(dict(layer.named_parameters()), x[0]).backward()
        for name, parameter in layer.named_parameters():
            self.assertTrue(torch.equal(gradients[name], parameter.grad))
        each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(parameters, x)  # a gradient for each sample
        alone = [torch.func.grad(loss)(parameters, sample) for sample in x]
        for name, parameter in parameters.items():
            self.assertTrue(torch.equal(each[name], torch.stack([gradient[name] for gradient in alone])))
        self.assertTrue(torch.equal(torch.func.vmap(layer)(x), layer(x)))
        with self.assertRaisesRegex(mxc.UsageError, NO_SECOND):
            torch.func.grad(lambda x: torch.func.grad(lambda x: loss(parameters, x))(x).square().sum())(x[0])
        with self.assertRaisesRegex(mxc.UsageError, r"torch.func.jvp \(forward mode\) of mxc.torch: expected gradients in reverse"):
            torch.func.jvp(layer, (x,), (torch.ones_like(x),))

    def test_an_operator_without_a_gradient_says_so(self):
        x, bias = random(8, 64).requires_grad_(), random(8).requires_grad_()
        codes = quantize(x.detach())
        h, rows = random(6, 64).requires_grad_(), torch.tensor([[0, 1]], dtype=torch.int32, device=PLACE)
        for name, y in (
            ("quantize", quantize(x)[0]),
            ("quantize_column", mxc.torch.quantize_column(x)[0]),
            ("dequantize", dequantize(*quantize(x))),
            ("matmul", matmul(*codes, *codes, bias=bias)),
            ("matmul", matmul(*quantize(x), *codes)),
            ("nvfp4_amax", mxc.torch.nvfp4_amax(x)),
        ):
            with self.subTest(name):
                self.assertTrue(y.requires_grad)
                with self.assertRaisesRegex(mxc.UsageError, f"mxc.torch.{name} has no gradient, and one is asked for"):
                    y.float().sum().backward()
        with self.assertRaisesRegex(mxc.UsageError, "matmul with out= has no gradient"):
            matmul(*codes, *codes, bias=bias, out=torch.empty(8, 8, device=PLACE))
        (first,) = torch.autograd.grad(combine(h, rows, random(1, 2, dtype=torch.float32).requires_grad_()).float().sum(), h)
        self.assertEqual(first.shape, h.shape)
        with torch.no_grad():
            self.assertFalse(matmul(*codes, *codes, bias=bias).requires_grad)

    def test_inputs_of_an_inference_layer_have_gradients(self):
        for recipe, bound in (("mxfp8", 0.04), ("mxfp4", 0.15), ("nvfp4", 0.15)):
            with self.subTest(recipe):
                first, second = (torch.nn.Linear(*sizes, device=PLACE, dtype=BF16) for sizes in ((32, 64), (64, 40)))
                model, weight = torch.nn.Sequential(first, second), second.weight.detach().double()
                self.assertEqual(convert(model, lambda name, layer: name == "1", inference=True, recipe=recipe), ["1"])
                x, dy = random(2, 9, 32).requires_grad_(), random(2, 9, 40, seed=5)
                model(x).backward(dy)
                expected = dy.double() @ weight @ first.weight.detach().double()
                self.assertLess(((x.grad.double() - expected).norm() / expected.norm()).item(), bound)
                self.assertGreater(first.weight.grad.abs().max().item(), 0)

    def test_meta_tensors(self):
        layer = MXLinear(64, 40, device="meta")
        y = layer(torch.randn(2, 8, 64, device="meta"))
        y.sum().backward()
        self.assertEqual((y.shape, layer.weight.grad.shape, layer.weight.grad.device.type), ((2, 8, 40), (40, 64), "meta"))
        with torch.no_grad():
            self.assertEqual(layer(torch.randn(8, 64, device="meta")).shape, (8, 40))
