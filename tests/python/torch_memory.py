"""Tensors whose elements lie apart, overlap or begin anywhere: every operator has the results of contiguous ones. A simulator takes them
as they lie, as a GPU does."""

import torch
from mxc.torch import (
    MoE,
    MXLinear,
    combine,
    convert_scales,
    dequantize,
    grouped_mm,
    linear,
    matmul,
    mlp,
    nvfp4_amax,
    quantize,
    quantize_both,
    quantize_column,
    quantize_groups,
    quantize_nvfp4,
    requantize,
)
from torch_case import BF16, PLACE, Checks, random


def bits(tensor):
    return tensor.contiguous().view(torch.uint8) if tensor.element_size() == 1 else tensor


def places(x):
    """The values of a matrix, or of a batch or vector of them, in other places of memory."""
    shape, columns = x.shape, x.shape[-1]
    data = bits(x).reshape(-1, columns)
    rows = len(data)
    for name, view in (
        ("transposed", data.new_zeros(columns, rows).t()),
        ("rows apart", data.new_zeros(rows, columns + 8)[:, :columns]),
        ("rows apart, from an odd place", data.new_zeros(rows, columns + 3)[:, 1 : columns + 1]),
        ("from an odd place", data.new_zeros(rows * columns + 1)[1:].view(rows, columns)),
        ("elements apart", data.new_zeros(rows, columns, 2)[:, :, 0]),
    ):
        view.copy_(data)
        yield name, view.view(x.dtype).unflatten(0, shape[:-1]) if len(shape) > 1 else view.view(x.dtype)[0]


class Memory(Checks):
    def check(self, what, call, *tensors):
        """With each tensor in turn elsewhere."""
        expected = self.results(call(*tensors))
        for i, tensor in enumerate(tensors):
            for name, view in places(tensor):
                with self.subTest(what, argument=i, place=name):
                    for found, known in zip(self.results(call(*tensors[:i], view, *tensors[i + 1 :])), expected):
                        self.assertTrue(torch.equal(bits(found), bits(known)))

    def results(self, given):
        return [tensor.detach().clone() for tensor in (given if isinstance(given, (tuple, list)) else (given,))]

    def gradients(self, call):
        """What call returns, and the gradients of its first arguments; the last one is dy."""

        def results(*tensors):
            leaves = [tensor.detach().requires_grad_() for tensor in tensors[:-1]]
            y = call(*leaves)
            y.backward(tensors[-1])
            return [y, *(leaf.grad for leaf in leaves)]

        return results

    def ends(self):
        return torch.tensor([5, 20, 40], dtype=torch.int32, device=PLACE)

    def test_quantizers(self):
        scale = torch.tensor(0.01, device=PLACE)
        for what, call in (
            ("quantize", quantize),
            ("quantize_column", quantize_column),
            ("quantize_both", lambda x: quantize_both(x, activation="silu")),
            ("1x128", lambda x: quantize_both(x, block="1x128")),
            ("MXFP4", lambda x: quantize(x, "e2m1")),
            ("NVFP4", lambda x: quantize(x, "e2m1", block="1x16", tensor_scale=scale)),
            ("quantize_nvfp4", lambda x: quantize_nvfp4(x, nvfp4_amax(x))),
            ("groups", lambda x: quantize_groups(x, self.ends(), axis="row", align=1)[:1]),
            ("SwiGLU", lambda x: quantize_groups(x, self.ends(), is_swiglu=True, axis="row", align=1)[:1]),
        ):
            self.check(what, call, random(40, 64))
        self.check("a batch", quantize, random(2, 40, 64))

    def test_rows_that_overlap(self):
        for x in (random(1, 64).expand(40, 64), random(1, 200)[0].as_strided((40, 64), (2, 1)), random(40, 1).expand(40, 64)):
            for call in (quantize, quantize_both, lambda x: quantize_groups(x, self.ends(), axis="row", align=1)[:1]):
                for found, expected in zip(call(x), call(x.contiguous())):
                    self.assertTrue(torch.equal(bits(found), bits(expected)))

    def test_products(self):
        (a, sa), (b, sb) = quantize(random(40, 64)), quantize(random(48, 64, seed=2))
        added = random(48, seed=3), random(40, 48, seed=4), random(40, 1, dtype=torch.float32, seed=5)

        def multiply(a, b, bias, residual, row_scale):
            return matmul(a, sa, b, sb, bias=bias, residual=residual, row_scale=row_scale)

        self.check("matmul", multiply, a, b, *added)
        self.check("scales", lambda sa, sb: matmul(a, sa, b, sb), sa, sb)
        self.check("dequantize", dequantize, a, sa)
        self.check("requantize", requantize, a, sa)
        powers = quantize(random(40, 256), block="1x128", rounding="ceil")[1]
        self.check("convert_scales", lambda s: convert_scales(s, (40, 256), "1x128"), powers)

    def test_a_layer_in_training(self):
        x, weight, bias, residual, dy = random(40, 64), random(48, 64, seed=2), random(48, seed=3), random(40, 48, seed=4), random(40, 48, seed=5)
        self.check("linear", self.gradients(lambda x, w, b, r: linear(x, w, b, residual=r)), x, weight, bias, residual, dy)
        up, down = (MXLinear(*sizes, device=PLACE, dtype=BF16) for sizes in ((64, 96), (96, 64)))
        self.check("mlp", self.gradients(lambda x: mlp(x, up, down, "silu")), x, random(40, 64, seed=6))

    def test_a_gradient_that_is_one_row(self):
        """Of a sum over tokens, and of pooling: strides (0, 1)."""
        x, weight = random(48, 64).requires_grad_(), random(40, 64, seed=2).requires_grad_()
        of_rows = random(40, seed=3)
        (linear(x, weight).sum(0) * of_rows).sum().backward()
        found, x.grad, weight.grad = (x.grad, weight.grad), None, None
        linear(x, weight).backward(of_rows.expand(48, 40).contiguous())
        self.assertTrue(torch.equal(found[0], x.grad) and torch.equal(found[1], weight.grad))

    def test_experts(self):
        x, weight, dy, ends = random(40, 64), random(3, 48, 64, seed=2), random(40, 48, seed=3), self.ends()
        self.check("grouped_mm", self.gradients(lambda x, w: grouped_mm(x, w, ends)), x, weight, dy)
        self.check("ends", lambda ends: grouped_mm(x, weight, ends), ends)
        h, rows, weights = random(20, 72), torch.randint(-1, 20, (9, 3)).int().to(PLACE), random(9, 3, dtype=torch.float32)
        self.check("combine", lambda h, rows, weights: combine(h, rows, weights), h, rows, weights)
        layer, tokens, indices = MoE(4, 128, 128, device=PLACE, dtype=BF16), random(20, 128), torch.randint(0, 4, (20, 2), device=PLACE)
        self.check("MoE", lambda x, i, w, dy: self.gradients(lambda x, w: layer(x, i, w))(x, w, dy), tokens, indices, random(20, 2), random(20, 128, seed=3))
