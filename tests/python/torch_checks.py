#!/usr/bin/env python3
"""mxc.torch against f64, on the GPU where there is one, else on a simulated chip with tensors in the host's memory.

  torch_checks.py [--device cuda|sm_90a|sm_100a] [unittest's arguments]"""
import copy
import importlib.util
import io
import os
import sys
import tempfile
import unittest

import mxc
import torch
from mxc.torch import MXLinear, convert, convert_scales, dequantize, linear, matmul, quantize, quantize_both, quantize_column, requantize
from mxc.torch import scales_for_scaled_mm, scales_from_scaled_mm

DEVICE = "cuda" if torch.cuda.is_available() else "sm_90a"
if "--device" in sys.argv:
    at = sys.argv.index("--device")
    DEVICE = sys.argv[at + 1]
    del sys.argv[at : at + 2]
IS_GPU = DEVICE == "cuda"
if not IS_GPU:
    mxc.torch.simulate(DEVICE)
PLACE = "cuda" if IS_GPU else "cpu"
BF16 = torch.bfloat16


def random(*shape, dtype=BF16, seed=1):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype).to(PLACE)


def values(q, s):
    return dequantize(q, s, torch.float32).double()


def rounded(x, format="e4m3", **rule):
    """What x is as MXFP8, along its rows."""
    return values(*quantize(x, format, **rule))


def rounded_columns(x, format="e4m3"):
    return values(*quantize_column(x, format)).mT


class Checks(unittest.TestCase):
    def assertNear(self, found, expected, terms, dtype=torch.float32):
        """docs/semantics.md, P2; terms: the sum of the products' magnitudes. Results of 16 bits are rounded once more."""
        step = {torch.float32: 2.0**-24, BF16: 2.0**-8, torch.float16: 2.0**-11}[dtype]
        self.assertEqual(found.dtype, dtype)
        self.assertEqual(found.shape, expected.shape)
        error = (found.double() - expected).abs()
        bound = 2.0**-12 * terms + step * expected.abs() + 2.0**-24
        if error.numel():
            self.assertLessEqual((error - bound).max().item(), 0)


class Products(Checks):
    def operands(self, m, n, k, batch=(), dtype=BF16):
        a, b = quantize(random(*batch, m, k, dtype=dtype)), quantize(random(*batch, n, k, dtype=dtype, seed=2))
        x, y = values(*a), values(*b)
        return (*a, *b), x @ y.mT, x.abs() @ y.abs().mT

    def test_shapes_and_types(self):
        for m, n, k in ((48, 40, 64), (1, 8, 32), (130, 72, 160), (5, 7, 33)):
            for dtype in (BF16, torch.float32, torch.float16):
                with self.subTest(m=m, n=n, k=k, dtype=dtype):
                    operands, exact, terms = self.operands(m, n, k)
                    self.assertNear(matmul(*operands, dtype=dtype), exact, terms, dtype)

    def test_formats_may_differ(self):
        a, b = quantize(random(32, 64), "e5m2"), quantize(random(24, 64, seed=2))
        x, y = values(*a), values(*b)
        self.assertNear(matmul(*a, *b, dtype=torch.float32), x @ y.mT, x.abs() @ y.abs().mT)

    def test_no_elements(self):
        for m, n, k in ((0, 8, 32), (8, 0, 32), (8, 8, 0)):
            operands, exact, terms = self.operands(m, n, k)
            self.assertNear(matmul(*operands, dtype=torch.float32), exact, terms)

    def test_epilogues(self):
        operands, exact, terms = self.operands(48, 40, 64)
        bias, residual = random(40, seed=3), random(48, 40, seed=4)
        functions = torch.nn.functional
        for name, function in (
            ("relu", functions.relu),
            ("gelu", functions.gelu),
            ("gelu_tanh", lambda x: functions.gelu(x, approximate="tanh")),
            ("silu", functions.silu),
            ("%two = arith.constant 2.0 : f32\n%y = arith.mulf %x, %two : f32", lambda x: 2 * x),
            (None, lambda x: x),
        ):
            for added in ({}, {"bias": bias}, {"residual": residual}, {"bias": bias, "residual": residual}):
                with self.subTest(activation=name, added=list(added)):
                    x = exact + (bias.double() if "bias" in added else 0)
                    expected = function(x) + (residual.double() if "residual" in added else 0)
                    found = matmul(*operands, activation=name, dtype=torch.float32, **added)
                    self.assertNear(found, expected, 4 * terms)

    def test_into_a_given_tensor(self):
        operands, exact, terms = self.operands(48, 40, 64)
        out = random(48, 40, dtype=torch.float32, seed=3)
        before = out.double()
        self.assertIs(matmul(*operands, out=out, accumulate=True), out)
        self.assertNear(out, before + exact, terms + before.abs())
        matmul(*operands, out=out)
        self.assertNear(out, exact, terms)

    def test_a_batch(self):
        for m, n in ((48, 40), (128, 128), (130, 72)):
            with self.subTest(m=m, n=n):
                operands, exact, terms = self.operands(m, n, 96, batch=(3,))
                bias = random(n, seed=3)
                self.assertNear(matmul(*operands, dtype=torch.float32), exact, terms)
                found = matmul(*operands, bias=bias, dtype=torch.float32)
                self.assertNear(found, exact + bias.double(), terms + bias.double().abs())

    def test_what_is_refused_says_why(self):
        operands, *_ = self.operands(48, 40, 64)
        a, sa, b, sb = operands
        (a2, sa2, *_), (_, _, b3, sb3) = self.operands(48, 40, 64, batch=(2,))[0], self.operands(48, 40, 64, batch=(3,))[0]
        for text, call in (
            ("accumulate: expected out=", lambda: matmul(*operands, accumulate=True)),
            ("a has 1 dimensions: expected 2 or 3", lambda: matmul(a[0], sa, b, sb)),
            ("a has 4 dimensions: expected 2 or 3", lambda: matmul(a[None, None], sa, b[None, None], sb)),
            ("b has 3 dimensions, and a 2: expected the same", lambda: matmul(a, sa, b[None], sb)),
            ("a is a batch of 2, and b of 3: expected the same", lambda: matmul(a2, sa2, b3, sb3)),
            ("activation: expected relu, gelu, gelu_tanh, silu, found swish", lambda: matmul(*operands, activation="swish")),
            ("a has rows of 32 elements, and b of 64", lambda: matmul(a[:, :32], sa, b, sb)),
            (r"bias of shape \(48,\): expected \(40,\)", lambda: matmul(*operands, bias=random(48))),
            (r"bias of shape \(1, 40\): expected \(40,\)", lambda: matmul(*operands, bias=random(1, 40))),
            (r"residual of shape \(40, 48\): expected \(48, 40\)", lambda: matmul(*operands, residual=random(40, 48))),
            (r"residual of shape \(1, 48, 40\): expected \(48, 40\)", lambda: matmul(*operands, residual=random(1, 48, 40))),
            (r"out of shape \(40, 48\): expected \(48, 40\)", lambda: matmul(*operands, out=torch.zeros(40, 48, device=PLACE))),
            ("out with strides", lambda: matmul(*operands, out=torch.zeros(40, 48, device=PLACE).mT)),
            ("dtype of a: expected .*found torch.bfloat16", lambda: matmul(random(48, 64), sa, b, sb)),
            ("argument 'sa': shape", lambda: matmul(a, sa[:256], b, sb)),
            ("compat = te determines the rounding", lambda: quantize(random(8, 32), rounding="floor", compat="te")),
        ):
            with self.subTest(text), self.assertRaisesRegex((mxc.Error, RuntimeError), text):
                call()

    def test_presets(self):
        x = random(8, 64)
        x[0, 0] = float("inf")
        q, s = quantize(x, layout="dense", compat="te")
        self.assertEqual(s.view(torch.uint8)[0, 0].item(), 0xFE)
        q, s = quantize(x, layout="dense", compat="torchao")
        self.assertEqual(s.view(torch.uint8)[0, 0].item(), 0xFF)

    def test_torch_checks_the_operators(self):
        operands, *_ = self.operands(48, 40, 64)
        out, operators = torch.zeros(48, 40, dtype=BF16, device=PLACE), torch.ops.mxc
        every = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        for operator, arguments in (
            (operators.matmul, operands),
            (operators.matmul_out, (*operands, out)),
            (operators.quantize, (random(48, 64),)),
            (operators.quantize_column, (random(48, 64),)),
            (operators.quantize_both, (random(3, 48, 64),)),
            (operators.dequantize, operands[:2]),
        ):
            with self.subTest(str(operator)):
                takes_codes = arguments[0].dtype != BF16  # torch compares no 8-bit floats before and after a call
                torch.library.opcheck(operator.default, arguments, test_utils=every[1:] if takes_codes else every)


class Blockwise(Checks):
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
        codes = (tiles * (torch.full_like(amax, 448) / amax)).to(torch.float8_e4m3fn)  # divided by a number, and that number by it, is a product with a reciprocal in torch
        scales = amax / torch.full_like(amax, 448)
        exact = (codes.double() * scales.double()).view_as(padded)[:m, :k]
        return codes.view_as(padded)[:m, :k], scales[:, 0, :, 0], exact

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
        with self.assertRaisesRegex(mxc.UsageError, "expected neither rounding nor compat"):
            quantize(random(8, 256), block="1x128", rounding="floor")
        with self.assertRaisesRegex(mxc.UsageError, "block: expected 1x32, 1x128, 128x128, found 1x64"):
            quantize(random(8, 256), block="1x64")


class Conversions(Checks):
    def test_mxfp8_in_blocks_of_128_and_back(self):
        for m, k in ((40, 256), (131, 300)):
            x = random(m, k) * random(m, 1, seed=2).exp()
            q, s = quantize(x)
            lost, largest = torch.full((1,), 5, device=PLACE), torch.zeros(1, device=PLACE)
            r, t = requantize(q, s, inexact=lost, error=largest)
            self.assertEqual((r.dtype, t.dtype, t.shape), (q.dtype, torch.float32, (-(-k // 128), -(-m // 4) * 4)))
            exact, found = values(q, s), dequantize(r, t, torch.float32).double()
            changed = exact != found
            self.assertEqual(lost.item(), 5 + changed.sum().item())
            error = ((found - exact).abs() / exact.abs())[changed].max().item() if changed.any() else 0
            self.assertAlmostEqual(largest.item(), error, places=6)
            rounded = torch.zeros(1, dtype=torch.int64, device=PLACE)
            u = convert_scales(t, (m, k), "1x128", inexact=rounded)
            self.assertEqual((u.dtype, rounded.item()), (torch.float8_e8m0fnu, 0))
            self.assertTrue(torch.equal(values(r, u), found))

    def test_weights_multiply_as_mxfp8(self):
        x, w = random(48, 256), random(200, 256, seed=2)
        q, s = quantize(w, block="128x128")
        s = torch.exp2(torch.ceil(torch.log2(s)))  # powers of two, under which the codes are other weights
        exact = dequantize(q, s, torch.float32).double()
        t = convert_scales(s, w.shape, "128x128")
        self.assertTrue(torch.equal(values(q, t), exact))
        a, sa = quantize(x)
        rows = values(a, sa)
        self.assertNear(matmul(a, sa, q, t, dtype=torch.float32), rows @ exact.mT, rows.abs() @ exact.abs().mT)

    def test_scales_that_are_no_powers_of_two_are_counted(self):
        q, s = quantize(random(48, 256), block="1x128")
        counted = torch.zeros(1, dtype=torch.int64, device=PLACE)
        convert_scales(s, q.shape, inexact=counted)
        self.assertEqual(counted.item(), ((s.view(torch.int32) & 0x7FFFFF) != 0).sum().item())

    def test_layouts_of_other_libraries(self):
        m, k = 70, 700
        s = torch.exp2(random(6, 72, dtype=torch.float32).mul(4).round())
        words = convert_scales(s, (m, k), "1x128", "1x128", to_layout="mn_packed", dtype=torch.float8_e8m0fnu)
        codes = ((s.view(torch.int32) >> 23)[:, :m]).t()  # [M, 6]
        padded = torch.nn.functional.pad(codes, (0, 2)).view(m, 2, 4)
        expected = sum(padded[:, :, i] << 8 * i for i in range(4))
        self.assertTrue(torch.equal(words.view(torch.int32).t()[:m], expected.to(torch.int32)))
        back = convert_scales(words, (m, k), "1x128", "1x128", layout="mn_packed", to_layout="mn_major")
        self.assertTrue(torch.equal(back[:, :m], s[:, :m]))
        weights = torch.rand(2, 5, device=PLACE)
        rows = convert_scales(weights, (200, 600), "128x128", "128x128", to_layout="padded")
        self.assertEqual(rows.shape, (2, 8))
        self.assertTrue(torch.equal(rows, torch.nn.functional.pad(weights, (0, 3))))

    def test_scales_of_scaled_mm(self):
        for m in (48, 50):
            q, s = quantize(random(m, 600), block="1x128")
            theirs = scales_for_scaled_mm(s, q.shape, "1x128")
            self.assertEqual((theirs.shape, theirs.stride()), ((m, 5), (1, m)))
            self.assertTrue(torch.equal(scales_from_scaled_mm(theirs, "1x128")[:, :m], s[:, :m]))
        q, s = quantize(random(200, 600), block="128x128")
        theirs = scales_for_scaled_mm(s, q.shape, "128x128")
        self.assertEqual((theirs.shape, theirs.stride()), ((2, 5), (8, 1)))
        self.assertTrue(torch.equal(scales_from_scaled_mm(theirs, "128x128"), s))

    def test_what_is_refused_says_why(self):
        s = torch.ones(2, 48, device=PLACE)
        with self.assertRaisesRegex(RuntimeError, r"scales of shape \(2, 48\): expected \(2, 52\), mn_major of 49 x 256 elements in blocks of 1x128"):
            convert_scales(s, (49, 256))
        with self.assertRaisesRegex(mxc.UsageError, "layout of scales of f32: expected dense, mn_major, padded, found tcgen05"):
            convert_scales(s, (48, 256), "1x128", "1x32", dtype=torch.float32)
        with self.assertRaisesRegex(mxc.Error, "mx.requantize's"):
            convert_scales(torch.ones(48, 8, device=PLACE), (48, 256), "1x32", "1x128", layout="dense")


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


class Layers(Checks):
    def layer(self):
        return MXLinear(64, 40, device=PLACE, dtype=BF16)

    def test_copies_are_kept_until_the_weight_changes(self):
        layer, x = self.layer(), random(32, 64)
        layer(x)
        first = layer._kept[1]
        layer(x).sum().backward()
        self.assertIs(layer._kept[1], first)
        torch.optim.SGD(layer.parameters(), lr=0.5).step()
        y = layer(x)
        self.assertIsNot(layer._kept[1], first)
        xr, wr = rounded(x), rounded(layer.weight.detach())
        expected = xr @ wr.T + layer.bias.detach().double()
        self.assertNear(y.detach(), expected, xr.abs() @ wr.abs().T + layer.bias.double().abs(), BF16)

    def test_a_gather_of_fsdp_is_seen(self):
        """FSDP2 writes the same memory, preserves the version, and sets the parameter."""
        layer, x = self.layer(), random(32, 64)
        with torch.no_grad():
            layer.bias.zero_()
            before = layer(x)
            with torch.autograd._unsafe_preserve_version_counter(layer.weight):
                layer.weight.mul_(2)
            layer.weight = layer.weight
            self.assertTrue(torch.equal(layer(x), 2 * before))

    def test_backward_takes_the_weight_of_its_forward(self):
        layer, x = self.layer(), random(32, 64).requires_grad_()
        before = rounded_columns(layer.weight.detach())
        y = layer(x)
        with torch.no_grad():
            layer.weight.mul_(3)
        y.sum().backward()
        ones = torch.ones(32, 40, device=PLACE, dtype=torch.float64)
        self.assertNear(x.grad, ones @ before, ones @ before.abs(), BF16)

    def test_inference_makes_one_copy(self):
        layer, x = self.layer(), random(32, 64)
        with torch.no_grad():
            layer(x)
        self.assertIsNone(layer._kept[1][2])
        layer(x).sum().backward()  # and then the other
        self.assertIsNotNone(layer._kept[1][2])
        with torch.inference_mode():
            layer(x)

    def test_state_goes_round(self):
        layer, plain, x = self.layer(), torch.nn.Linear(64, 40, device=PLACE, dtype=BF16), random(32, 64)
        layer(x)
        stored = io.BytesIO()
        torch.save(layer.state_dict(), stored)
        stored.seek(0)
        plain.load_state_dict(torch.load(stored, weights_only=True))
        fresh = MXLinear(64, 40, device=PLACE, dtype=BF16)
        fresh(x)  # its copies are of other values
        fresh.load_state_dict(plain.state_dict())
        self.assertTrue(torch.equal(fresh(x), layer(x)))
        for duplicate in (copy.deepcopy(layer), MXLinear.of(plain)):
            self.assertTrue(torch.equal(duplicate(x), layer(x)))

    def model(self):
        torch.manual_seed(5)
        layers = [torch.nn.Linear(64, 96), torch.nn.GELU(), torch.nn.Linear(96, 64), torch.nn.LayerNorm(64), torch.nn.Linear(64, 32)]
        return torch.nn.Sequential(*layers).to(PLACE, BF16)

    def test_a_model_is_converted(self):
        model, x = self.model(), random(32, 64)
        exact, parameters = model(x), list(model.parameters())
        names = convert(model, lambda name, layer: layer.out_features >= 64)
        self.assertEqual(names, ["0", "2"])
        self.assertEqual([type(part) for part in (model[0], model[2], model[4])], [MXLinear, MXLinear, torch.nn.Linear])
        self.assertTrue(all(ours is theirs for ours, theirs in zip(model.parameters(), parameters)))
        error = (model(x) - exact).norm() / exact.norm()
        self.assertLess(error.item(), 0.1)
        self.assertGreater(error.item(), 0)

    def test_a_model_for_inference(self):
        model, x = self.model(), random(32, 64)
        trained = copy.deepcopy(model)
        convert(trained)
        names = convert(model, inference=True)
        self.assertEqual(names, ["0", "2", "4"])
        with torch.no_grad():
            expected = trained(x)
            self.assertTrue(torch.equal(model(x), expected))
            model.to(BF16)
            self.assertTrue(torch.equal(model(x), expected))
        self.assertEqual(model[0].weight_codes.dtype, torch.float8_e4m3fn)
        fresh = self.model()
        with torch.no_grad():
            fresh[0].weight.zero_()
        convert(fresh, inference=True)
        fresh.load_state_dict(model.state_dict())
        with torch.no_grad():
            self.assertTrue(torch.equal(fresh(x), expected))

    def test_shared_layers_and_weights(self):
        class Tied(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding, self.head = torch.nn.Embedding(40, 64), torch.nn.Linear(64, 40, bias=False)
                self.head.weight = self.embedding.weight
                self.first = self.second = torch.nn.Linear(64, 64)

        model = Tied()
        self.assertEqual(convert(model), ["head", "first"])
        self.assertIs(model.head.weight, model.embedding.weight)
        self.assertIs(model.first, model.second)
        self.assertEqual(convert(Tied().to(PLACE), inference=True), ["first"])

    def test_compiled(self):
        layer, x = self.layer(), random(32, 64).requires_grad_()
        backend = "inductor" if IS_GPU else "aot_eager"
        compiled = torch.compile(layer, fullgraph=True, backend=backend)
        y = layer(x)
        y.sum().backward()
        expected, x.grad = (y.detach(), x.grad, layer.weight.grad.clone()), None
        layer.weight.grad = None
        for _ in range(2):
            x.grad = layer.weight.grad = None
            y = compiled(x)
            y.sum().backward()
            for found, known in zip((y.detach(), x.grad, layer.weight.grad), expected):
                self.assertTrue(torch.equal(found, known))
        with torch.no_grad():
            layer.weight.mul_(2)
        self.assertTrue(torch.equal(compiled(x), layer(x)))


@unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
class Transformers(Checks):
    """A model of transformers with random weights."""

    def model(self):
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(0)
        width = 512 if IS_GPU else 64
        config = LlamaConfig(
            vocab_size=128,
            hidden_size=width,
            intermediate_size=2 * width,
            num_hidden_layers=4 if IS_GPU else 1,
            num_attention_heads=2,
            num_key_value_heads=1,
        )
        return LlamaForCausalLM(config).to(PLACE, BF16)

    def tokens(self):
        generator = torch.Generator().manual_seed(1)
        return torch.randint(0, 128, (2, 16), generator=generator).to(PLACE)

    @staticmethod
    def is_inner(name, layer):
        return name != "lm_head"

    @staticmethod
    def gradients(model):
        return torch.cat([parameter.grad.double().flatten() for parameter in model.parameters()])

    def test_training(self):
        model, tokens = self.model(), self.tokens()
        exact = model(tokens, labels=tokens)
        exact.loss.backward()
        expected = self.gradients(model)
        model.zero_grad()
        names = convert(model, self.is_inner)
        self.assertEqual(len(names), 7 * len(model.model.layers))
        self.assertTrue(all(type(model.get_submodule(name)) is MXLinear for name in names))
        self.assertIs(type(model.lm_head), torch.nn.Linear)
        found = model(tokens, labels=tokens)
        found.loss.backward()
        self.assertLess(abs(found.loss.item() / exact.loss.item() - 1), 0.01)
        self.assertFalse(torch.equal(found.logits, exact.logits))
        error = (self.gradients(model) - expected).norm() / expected.norm()
        self.assertLess(error.item(), 0.15)
        self.assertGreater(error.item(), 0)
        before = found.loss.item()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        optimizer.step()
        self.assertLess(model(tokens, labels=tokens).loss.item(), before)

    def test_inference_with_mxfp8_weights_alone(self):
        model, tokens = self.model(), self.tokens()
        trained = copy.deepcopy(model)
        convert(trained, self.is_inner)
        bytes_before = sum(p.nbytes for p in model.model.layers.parameters())
        convert(model, self.is_inner, inference=True)
        layers = model.model.layers
        self.assertLess(sum(t.nbytes for t in (*layers.parameters(), *layers.buffers())), 0.6 * bytes_before)
        with torch.no_grad():
            self.assertTrue(torch.equal(model(tokens).logits, trained(tokens).logits))
            generated = model.generate(tokens[:, :4], max_new_tokens=2, do_sample=False, pad_token_id=0)
        self.assertEqual(generated.shape, (2, 6))


def train(rank, world, kind, backend, folder):
    """Three steps of one layer and its neighbour, the batch split over the processes; rank 0 leaves the weights. Processes of NCCL
    have a GPU each, those of gloo share one. "plain-fsdp" is torch's own layers alone."""
    os.environ.update(MASTER_ADDR="127.0.0.1")
    import torch.distributed as distributed

    if IS_GPU:
        torch.cuda.set_device(rank if backend == "nccl" else 0)
    else:
        mxc.torch.simulate(DEVICE)
    store = distributed.FileStore(os.path.join(folder, f"store-{kind}-{world}"), world)
    distributed.init_process_group(backend, store=store, rank=rank, world_size=world)
    try:
        torch.manual_seed(7)
        model = torch.nn.Sequential(torch.nn.Linear(64, 96), torch.nn.ReLU(), torch.nn.Linear(96, 64)).to(PLACE)
        if kind != "plain-fsdp":
            convert(model)
        if kind == "ddp":
            model = torch.nn.parallel.DistributedDataParallel(model)
        elif kind.endswith("fsdp"):
            from torch.distributed.device_mesh import init_device_mesh
            from torch.distributed.fsdp import fully_shard

            mesh = init_device_mesh(PLACE, (world,))
            for part in (model[0], model[2], model):
                fully_shard(part, mesh=mesh)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        losses = []
        for step in range(3):
            x = random(64, 64, dtype=torch.float32, seed=step).view(world, -1, 64)[rank]
            loss = (model(x) - x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            total = loss.detach().clone()
            distributed.all_reduce(total)
            losses.append(total.item() / world)
        parameters = [p.full_tensor() if hasattr(p, "full_tensor") else p for p in model.parameters()]
        if rank == 0:
            torch.save((losses, [p.detach().cpu() for p in parameters]), os.path.join(folder, f"{kind}-{world}"))
    finally:
        distributed.destroy_process_group()
    # Without the interpreter's exit, during which a thread of torch's gloo may still drop a tensor: it then waits for Python's
    # lock, is ended there by Python 3.11, and terminate() follows (seen with torch 2.11: ~AsyncAllgatherCoalescedWork).
    sys.stdout.flush()
    os._exit(0)


class Distributed(Checks):
    def trained(self, kind, world, backend):
        with tempfile.TemporaryDirectory() as folder:
            torch.multiprocessing.spawn(train, (world, kind, backend, folder), world)
            return torch.load(os.path.join(folder, f"{kind}-{world}"))

    def check_same(self, kind, world, backend, exact):
        expected, found = self.trained("plain", 1, backend), self.trained(kind, world, backend)
        if exact:
            self.assertEqual(found[0], expected[0])
        for ours, theirs in zip(found[0], expected[0]):
            self.assertAlmostEqual(ours, theirs, delta=1e-3 * theirs)
        for ours, theirs in zip(found[1], expected[1]):
            error = (ours - theirs).abs().max().item()
            self.assertLessEqual(error, 0 if exact else 1e-3)

    @unittest.skipUnless(torch.distributed.is_available(), "torch has no distributed")
    def test_one_process(self):
        backend = "nccl" if IS_GPU else "gloo"
        for kind in ("ddp", "fsdp"):
            with self.subTest(kind):
                self.check_same(kind, 1, backend, exact=True)

    @unittest.skipUnless(torch.distributed.is_available(), "torch has no distributed")
    def test_ddp_in_two_processes_by_gloo(self):
        self.check_same("ddp", 2, "gloo", exact=False)

    @unittest.skipUnless(torch.distributed.is_available(), "torch has no distributed")
    def test_fsdp_in_two_processes_by_gloo(self):
        if IS_GPU:  # gloo has collectives of tensors on a GPU in parts: some versions of torch end in a signal
            try:
                self.trained("plain-fsdp", 2, "gloo")
            except Exception as error:
                self.skipTest(f"torch's own layers do not run so: {type(error).__name__}: {str(error)[-200:]}")
        self.check_same("fsdp", 2, "gloo", exact=False)

    @unittest.skipUnless(IS_GPU and torch.cuda.device_count() > 1, "needs two GPUs")
    def test_two_processes_by_nccl(self):
        for kind in ("ddp", "fsdp"):
            with self.subTest(kind):
                self.check_same(kind, 2, "nccl", exact=False)


@unittest.skipUnless(IS_GPU, "needs a GPU")
class Graphs(Checks):
    def test_a_training_step_in_a_cuda_graph(self):
        layer, x = MXLinear(256, 128, device="cuda", dtype=BF16), random(256, 256)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
        reference = copy.deepcopy(layer)
        steps = torch.optim.SGD(reference.parameters(), lr=0.01)

        def step(layer, optimizer):
            optimizer.zero_grad(set_to_none=False)
            layer(x).square().mean().backward()
            optimizer.step()

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step(layer, optimizer)  # makes the gradients
            layer(x)  # keeps copies, which the graph must not take for those of every replay
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(layer, optimizer)
        for _ in range(3):
            graph.replay()
        for _ in range(4):
            step(reference, steps)
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(layer.weight, reference.weight))

    def test_inference_in_a_cuda_graph(self):
        """The weight's copies are kept, so the graph multiplies alone; what the input holds at each replay counts."""
        trained = MXLinear(256, 128, device="cuda", dtype=BF16)
        served = torch.nn.Sequential(torch.nn.Linear(256, 128)).to("cuda", BF16)
        convert(served, inference=True)
        for layer in (trained, served):
            x = random(64, 256)
            with torch.no_grad():
                layer(x)  # compiles, and keeps copies
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    y = layer(x)
                for seed in (5, 6):
                    x.copy_(random(64, 256, seed=seed))
                    graph.replay()
                    torch.cuda.synchronize()
                    self.assertTrue(torch.equal(y, layer(x)))


if __name__ == "__main__":
    print(f"mxc {mxc.version()}, torch {torch.__version__}, {torch.cuda.get_device_name() if IS_GPU else 'simulated ' + DEVICE}")
    unittest.main(verbosity=2)
