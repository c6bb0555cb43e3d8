"""Blocks of 1x128 and 128x128: quantizers, products, and layers by that recipe."""

import copy

import mxc
import torch
from mxc.torch import MXLinear, convert, dequantize, linear, matmul, quantize
from torch_case import BF16, DEVICE, IS_GPU, PLACE, Checks, random


class BlockwiseChecks(Checks):
    """Blocks of 1x128 and 128x128 with scales of f32, whose products sm_90a has."""

    def setUp(self):
        if DEVICE == "sm_100a" or (IS_GPU and torch.cuda.get_device_capability()[0] != 9):
            self.skipTest("products with f32 scales are sm_90a's")

    def blocks(self, x, rows, columns):
        """What x is by the rule: codes and scales in f64's place."""
        m, k = x.shape
        padded = torch.zeros(-(-m // rows) * rows, -(-k // columns) * columns, device=x.device)
        padded[:m, :k] = x.float()
        tiles = padded.view(padded.shape[0] // rows, rows, padded.shape[1] // columns, columns)
        amax = tiles.abs().amax((1, 3), keepdim=True).clamp(min=448 * 2.0**-126)
        # In torch a quotient with a number, either way round, is a product with a reciprocal: so both are tensors.
        codes = (tiles * (torch.full_like(amax, 448) / amax)).to(torch.float8_e4m3fn)
        scales = amax / torch.full_like(amax, 448)
        exact = (codes.double() * scales.double()).view_as(padded)[:m, :k]
        return codes.view_as(padded)[:m, :k], scales[:, 0, :, 0], exact


class Blockwise(BlockwiseChecks):
    """Codes, scales and products by the rule."""

    def test_products(self):
        for m, n, k in ((130, 72, 272), (1, 264, 128), (300, 392, 400)):
            x, w, g = random(m, k), random(n, k, seed=2), random(n, k, seed=3)
            codes, scales, exact = self.blocks(x, 1, 128)
            q, s = quantize(x, block="1x128")
            self.assertEqual(s.shape, (-(-k // 128), -(-m // 4) * 4))
            self.assertTrue(torch.equal(q.view(torch.uint8), codes.view(torch.uint8)))
            self.assertTrue(torch.equal(s[:, :m], scales.t()))
            self.assertTrue(torch.equal(dequantize(q, s, torch.float32), exact.float()))
            codes_w, scales_w, exact_w = self.blocks(w, 128, 128)
            qw, sw = quantize(w, block="128x128")
            self.assertTrue(torch.equal(qw.view(torch.uint8), codes_w.view(torch.uint8)))
            self.assertTrue(torch.equal(sw, scales_w))
            self.assertTrue(torch.equal(dequantize(qw, sw, torch.float32), exact_w.float()))
            qg, sg = quantize(g, block="1x128")
            exact_g = self.blocks(g, 1, 128)[2]
            for b, sb, other in ((qw, sw, exact_w), (qg, sg, exact_g)):
                c, sum = matmul(q, s, b, sb, dtype=torch.float32), exact @ other.mT
                terms = exact.abs() @ other.abs().mT  # a step of 32 loses at most 2^-13 of its largest term for each one
                self.assertLessEqual(((c.double() - sum).abs() - 2.0**-7 * terms).max().item(), 0)
                self.assertLess((c.double() - sum).norm().item(), 2e-3 * sum.norm().item())

    def test_columns(self):
        for m, n in ((130, 72), (1, 264), (300, 133)):
            x = random(m, n)
            for block in ("1x128", "128x128"):
                q, s, qt, st = mxc.torch.quantize_both(x, block=block)
                for found, expected in (
                    ((q, s), quantize(x, block=block)),
                    ((qt, st), quantize(x.t().contiguous(), block=block)),
                    ((qt, st), mxc.torch.quantize_column(x, block=block)),
                ):
                    with self.subTest(m=m, n=n, block=block):
                        self.assertTrue(torch.equal(found[0].view(torch.uint8), expected[0].view(torch.uint8)))
                        self.assertTrue(torch.equal(found[1], expected[1]))

    def test_presets(self):
        x = random(130, 256)
        x[3, :128], x[4, :128], x[5, 7], x[6, 9] = 0, 1e-6, float("inf"), float("nan")
        # DeepGEMM's per_token_cast_to_fp8, on the host: on a GPU torch divides by a number by its reciprocal.
        view = x.cpu().view(130, 2, 128)
        amax = view.abs().float().amax(dim=2).clamp(1e-4)
        scales = amax / 448.0
        codes = (view * (1.0 / scales.unsqueeze(2))).to(torch.float8_e4m3fn).view(130, 256).view(torch.uint8)
        codes[(codes & 0x7F) == 0x7F] = 0x7F  # NaN, whatever its sign
        q, s = quantize(x, block="1x128", layout="dense", compat="deepseek")
        self.assertTrue(torch.equal(q.cpu().view(torch.uint8), codes))
        self.assertTrue(torch.equal(s.cpu().nan_to_num(nan=-1.0), scales.nan_to_num(nan=-1.0)))
        # TransformerEngine's, whose scales are powers of two; zero and infinite blocks have 1.
        q, s = quantize(x, block="1x128", layout="dense", compat="te_blockwise")
        amax = view.nan_to_num(nan=0.0, posinf=float("inf")).abs().float().amax(dim=2)
        powers = torch.exp2(torch.floor(torch.log2((448.0 / amax.double()))))
        self.assertTrue(torch.equal(s.cpu(), torch.where((amax == 0) | amax.isinf(), 1.0, 1.0 / powers).float()))
        q, s = quantize(x, block="1x128", rounding="ceil")
        self.assertTrue(torch.equal(s[:, :3], torch.exp2(torch.log2(s[:, :3]).round())))

    def test_batches_and_epilogues(self):
        x, w = random(3, 40, 256), random(3, 136, 256, seed=2)
        q, s = quantize(x, block="1x128")
        qw, sw = quantize(w, block="128x128")
        self.assertEqual((s.shape, sw.shape), ((3, 2, 40), (3, 2, 2)))
        bias = random(136, dtype=torch.float32, seed=5)
        y = matmul(q, s, qw, sw, bias=bias, activation="relu", dtype=torch.float32)
        for i in range(3):
            one = matmul(q[i], s[i], qw[i], sw[i], dtype=torch.float32)
            self.assertTrue(torch.equal(y[i], (one + bias).relu()))

    def test_what_is_refused_says_why(self):
        q, s = quantize(random(8, 256), block="1x128")
        qw, sw = quantize(random(136, 256), block="128x128")
        with self.assertRaisesRegex(RuntimeError, r"scales of f32 of shape \(3, 8\) for codes \(8, 256\): expected \(2, 8\) or \(1, 2\)"):
            matmul(q, s.new_empty(3, 8), qw, sw)
        with self.assertRaisesRegex(RuntimeError, "expected those of a 1x128, mn_major"):
            matmul(qw, sw, q, s)
        with self.assertRaisesRegex(mxc.Error, "compat must be one of deepseek te_blockwise te_blockwise_f32 for scales of f32, found \"te\""):
            quantize(random(8, 256), block="1x128", compat="te")
        with self.assertRaisesRegex(mxc.UsageError, "block: expected 1x32, 1x16, .*found 1x64"):
            quantize(random(8, 256), block="1x64")


class SharedScales(Checks):
    """MXFP8 whose blocks of 32 have the scale of the block of 128 that they lie in: on every chip."""

    def test_scales_are_those_of_larger_blocks(self):
        x = random(130, 272)
        for block, rows in (("1x128", 1), ("128x128", 128)):
            q, s = quantize(x, block=f"{block} to 1x32", layout="dense")
            of_large, powers = quantize(x, block=block, rounding="ceil", layout="dense")
            self.assertTrue(torch.equal(q.view(torch.uint8), of_large.view(torch.uint8)))
            self.assertEqual((s.dtype, s.shape), (torch.float8_e8m0fnu, (130, 9)))
            repeated = powers.repeat_interleave(rows, 0)[:130].repeat_interleave(4, 1)[:, :9]
            self.assertTrue(torch.equal(s.float(), repeated))
            self.assertTrue(torch.equal(dequantize(q, s, torch.float32, "dense"), q.float() * s.float().repeat_interleave(32, 1)[:, :272]))

    def test_along_both_axes(self):
        x = random(130, 272)
        q, s, qt, st = mxc.torch.quantize_both(x, block="1x128 to 1x32", compat="te")
        self.assertTrue(torch.equal(dequantize(q, s), dequantize(*quantize(x, block="1x128 to 1x32", compat="te"))))
        of_columns = quantize(x.mT.contiguous(), block="1x128 to 1x32", compat="te")
        self.assertTrue(torch.equal(dequantize(qt, st), dequantize(*of_columns)))


class BlockwiseLayers(BlockwiseChecks):
    """Linear layers by the recipe: each product is that of the operands that the rule makes, quantized along what it sums over."""

    def assertProduct(self, found, x, y):
        """c = x y^T, where a step of 32 loses at most 2^-13 of its largest term for each one, and c is rounded to bf16."""
        exact, terms = x @ y.T, x.abs() @ y.abs().T
        self.assertLessEqual(((found.double() - exact).abs() - 2.0**-7 * terms - 2.0**-8 * exact.abs()).max().item(), 0)
        self.assertLess((found.double() - exact).norm().item(), 4e-3 * exact.norm().item())

    def exact(self, x, rows=1):
        return self.blocks(x, rows, 128)[2]

    def check(self, call, x, weight):
        y = call(x)
        dy = random(*y.shape, seed=9)
        y.backward(dy)
        rows, dys, w = x.detach().view(-1, x.shape[-1]), dy.view(-1, dy.shape[-1]), weight.detach()
        self.assertProduct(y.detach().view(dys.shape), self.exact(rows), self.exact(w, 128))
        self.assertProduct(x.grad.view(rows.shape), self.exact(dys), self.exact(w, 128).T)
        self.assertProduct(weight.grad, self.exact(dys.T), self.exact(rows.T))

    def test_gradients(self):
        for m, n, k in ((160, 144, 272), (40, 136, 128)):
            with self.subTest(m=m, n=n, k=k):
                x, weight = random(2, m // 2, k).requires_grad_(), random(n, k, seed=2).requires_grad_()
                self.check(lambda x: linear(x, weight, recipe="blockwise"), x, weight)

    def test_a_layer_quantizes_its_weight_again(self):
        layer, x = MXLinear(128, 136, bias=False, device=PLACE, dtype=BF16, recipe="blockwise"), random(48, 128).requires_grad_()
        self.check(layer, x, layer.weight)
        with torch.no_grad():
            layer.weight.mul_(3)
        x.grad = layer.weight.grad = None
        self.check(layer, x, layer.weight)

    def test_a_model_is_converted(self):
        model = torch.nn.Sequential(torch.nn.Linear(128, 256), torch.nn.GELU(), torch.nn.Linear(256, 128)).to(PLACE, BF16)
        served, x = copy.deepcopy(model), random(32, 128)
        exact = model(x)
        self.assertEqual(convert(model, recipe="blockwise"), ["0", "2"])
        self.assertEqual(convert(served, recipe="blockwise", inference=True), ["0", "2"])
        self.assertEqual((served[0].weight_codes.dtype, served[0].weight_scales.shape), (torch.float8_e4m3fn, (2, 1)))
        with torch.no_grad():
            y = model(x)
            self.assertTrue(torch.equal(served.to(BF16)(x), y))
        error = ((y - exact).norm() / exact.norm()).item()
        self.assertTrue(0 < error < 0.1, error)

    def test_an_epilogue(self):
        x, weight, residual = random(32, 128), random(136, 128, seed=2), random(32, 136, seed=3)
        y = linear(x, weight, activation="relu", residual=residual, recipe="blockwise")
        expected = (self.exact(x) @ self.exact(weight, 128).T).relu() + residual.double()
        self.assertLess((y.double() - expected).norm().item(), 4e-3 * expected.norm().item())

    def test_presets_of_layers(self):
        x, weight = random(48, 128), random(136, 128, seed=2)
        for compat in ("deepseek", "te_blockwise"):
            operands = (*quantize(x, block="1x128", compat=compat), *quantize(weight, block="128x128", compat=compat))
            y = linear(x, weight, recipe="blockwise", compat=compat)
            self.assertTrue(torch.equal(y, matmul(*operands)))

    def test_a_chip_without_such_products_is_named(self):
        if IS_GPU:
            self.skipTest("is about simulated chips")
        x, weight, ends = random(8, 128), random(2, 136, 128, seed=2), torch.tensor([3, 8], dtype=torch.int32)
        try:
            for chip in ("sm_100a", "sm_120a"):
                mxc.torch.simulate(chip)
                for call in (lambda: linear(x, weight[0], recipe="blockwise"), lambda: mxc.torch.grouped_mm(x, weight, ends, recipe="blockwise")):
                    with self.assertRaisesRegex(mxc.Error, rf'^mxc: blocks of 128 .* on simulator:{chip}: .* expected recipe="mxfp8"'):
                        call()
        finally:
            mxc.torch.simulate(DEVICE)

    def test_what_a_layer_refuses(self):
        with self.assertRaisesRegex(mxc.UsageError, "recipe: expected mxfp8, blockwise, found fp4"):
            linear(random(32, 128), random(136, 128), recipe="fp4")
        with self.assertRaisesRegex(mxc.Error, "compat must be one of deepseek"):
            linear(random(32, 128), random(136, 128), recipe="blockwise", compat="te")
