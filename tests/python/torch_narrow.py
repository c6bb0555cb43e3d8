"""Elements of 4 and 6 bits: codes as the formats' tables read them, products against f64."""

import mxc
import torch
from mxc.torch import convert, dequantize, matmul, quantize, quantize_both, quantize_column, requantize
from torch_case import BF16, PLACE, Checks, random

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)


def number(exponents, mantissas, bias):
    """What the codes of 6 bits without infinities mean."""
    code = torch.arange(64)
    exponent, fraction = code >> mantissas & (1 << exponents) - 1, (code & (1 << mantissas) - 1).double() / (1 << mantissas)
    magnitude = torch.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (exponent - bias).double())
    return torch.where(code >= 32, -magnitude, magnitude)


SIX = {"e2m3": number(2, 3, 1), "e3m2": number(3, 2, 3)}


def pairs(q):
    """The values of e2m1 codes, two a byte, the first in the low half."""
    data = q.cpu().view(torch.uint8)
    codes = torch.stack([data & 15, data >> 4], -1).flatten(-2).long()
    return torch.where(codes >= 8, -E2M1[codes & 7], E2M1[codes & 7])


def runs(q, format):
    """The values of codes of 6 bits, four in three bytes."""
    data = q.cpu().unflatten(-1, (-1, 3)).long()
    words = data[..., 0] | data[..., 1] << 8 | data[..., 2] << 16
    return SIX[format][words[..., None] >> torch.arange(0, 24, 6) & 63].flatten(-2)


def scaled(elements, s, block):
    """Elements [M, K] under dense scales."""
    return elements * s.cpu().float().double().repeat_interleave(block, -1)[:, : elements.shape[-1]]


def one(value):
    return torch.tensor([value], device=PLACE)


class Narrow(Checks):
    def assertRounded(self, found, x, s, block, step):
        """Within half of the largest step below the block's largest number; scales of ue4m3 add what their own rounding cuts off."""
        half = s.cpu().float().double().repeat_interleave(block, -1)[:, : x.shape[-1]] * step
        self.assertLessEqual(((found - x.cpu().double()).abs() - half).max().item(), 0)

    def test_mxfp4(self):
        x = random(40, 96)
        q, s = quantize(x, "e2m1", layout="dense")
        self.assertEqual((q.dtype, q.shape, s.shape), (torch.float4_e2m1fn_x2, (40, 48), (40, 3)))
        found = scaled(pairs(q), s, 32)
        self.assertRounded(found, x, s, 32, 1)
        self.assertTrue(torch.equal(dequantize(q, s, torch.float32, "dense").cpu().double(), found))
        qt, st = quantize_column(x, "e2m1", layout="dense")
        by_rows = quantize(x.mT.contiguous(), "e2m1", layout="dense")
        self.assertTrue(all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip((qt, st), by_rows)))

    def test_nvfp4(self):
        x = random(48, 80)
        scale = (x.abs().amax().float() / 2688).view(1)
        q, s, qt, st = quantize_both(x, "e2m1", layout="dense", block="1x16", tensor_scale=scale)
        self.assertEqual((q.shape, s.dtype, s.shape, st.shape), ((48, 40), torch.float8_e4m3fn, (48, 5), (80, 3)))
        found = scaled(pairs(q), s, 16) * scale.item()
        self.assertRounded(found, x, s.float() * scale, 16, 1.5)
        y = dequantize(q, s, torch.float32, "dense", tensor_scale=scale).cpu().double()
        self.assertLessEqual((y - found).abs().max().item(), 2.0**-22 * found.abs().max().item())
        across = scaled(pairs(qt), st, 16) * scale.item()
        self.assertRounded(across, x.mT, st.float() * scale, 16, 1.5)

    def test_six_bits(self):
        x = random(40, 96)
        for format, step in (("e2m3", 0.25), ("e3m2", 2)):
            with self.subTest(format):
                q, s = quantize(x, format, layout="dense")
                self.assertEqual((q.dtype, q.shape), (torch.uint8, (40, 72)))
                found = scaled(runs(q, format), s, 32)
                self.assertRounded(found, x, s, 32, step)
                self.assertTrue(torch.equal(dequantize(q, s, torch.float32, "dense", format).cpu().double(), found))

    def test_products(self):
        x, y = random(40, 128), random(24, 128, seed=2)
        for formats in (("e2m1", "e2m1"), ("e4m3", "e2m1"), ("e2m3", "e3m2"), ("e3m2", "e4m3")):
            with self.subTest(formats=formats):
                named = tuple(format if format in SIX else "" for format in formats)
                a, b = quantize(x, formats[0]), quantize(y, formats[1])
                p, r = (dequantize(*copy, torch.float32, format=format).double() for copy, format in ((a, named[0] or None), (b, named[1] or None)))
                found = matmul(*a, *b, alpha=one(0.5), formats=named, dtype=torch.float32)
                self.assertNear(found, 0.5 * (p @ r.mT), 0.5 * (p.abs() @ r.abs().mT))

    def test_nvfp4_product(self):
        x, y = random(40, 128), random(24, 128, seed=2)
        scales = [(tensor.abs().amax().float() / 2688).view(1) for tensor in (x, y)]
        a, b = (quantize(tensor, "e2m1", block="1x16", tensor_scale=scale) for tensor, scale in zip((x, y), scales))
        p, r = (dequantize(*copy, torch.float32, tensor_scale=scale).double() for copy, scale in zip((a, b), scales))
        out = torch.zeros(40, 24, device=PLACE)
        found = matmul(*a, *b, alpha=scales[0] * scales[1], bias=random(24, seed=3), activation="relu", out=out)
        exact = p @ r.mT + random(24, seed=3).double()
        self.assertNear(found, exact.relu(), 2 * (p.abs() @ r.abs().mT) + 1)

    def test_mxfp4_as_nvfp4(self):
        q, s = quantize(random(40, 96), "e2m1")
        largest = s.view(torch.uint8).max().item()
        scale, lost = one(2.0 ** (largest - 135)), torch.zeros(1, dtype=torch.int64, device=PLACE)
        r, t = requantize(q, s, tensor_scale=scale, inexact=lost)
        self.assertEqual((t.dtype, lost.item()), (torch.float8_e4m3fn, 0))
        self.assertTrue(torch.equal(dequantize(r, t, torch.float32, tensor_scale=scale), dequantize(q, s, torch.float32)))

    def test_batches(self):
        x = random(2, 40, 64)
        q, s = quantize(x, "e2m1")
        self.assertEqual(q.shape, (2, 40, 32))
        y = dequantize(q, s, torch.float32)
        each = torch.stack([dequantize(*quantize(x[i], "e2m1"), torch.float32) for i in range(2)])
        self.assertTrue(torch.equal(y, each))
        self.assertNear(matmul(q, s, q, s, dtype=torch.float32), y.double() @ y.double().mT, y.double().abs() @ y.double().abs().mT)

    def test_layers_for_inference(self):
        x = random(3, 8, 64)
        for recipe, bound in (("mxfp4", 0.3), ("mxfp8_mxfp4", 0.22), ("nvfp4", 0.27)):  # the largest of twelve seeds: 0.223, 0.165, 0.204
            with self.subTest(recipe):
                model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16)).to(PLACE, BF16)
                expected = model(x).float()
                convert(model, inference=True, recipe=recipe)
                model.to(torch.float16).to(BF16)  # casts leave codes and scales what they are
                self.assertEqual((model[0].weight_codes.dtype, model[0].weight_codes.shape), (torch.uint8, (32, 32)))
                self.assertLess(((model(x).float() - expected).norm() / expected.norm()).item(), bound)
                again = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16)).to(PLACE, BF16)
                convert(again, inference=True, recipe=recipe)
                again.load_state_dict(model.state_dict())
                self.assertTrue(torch.equal(again(x), model(x)))
        with self.assertRaisesRegex(mxc.UsageError, "recipe: expected mxfp8, blockwise, found nvfp4"):
            convert(torch.nn.Sequential(torch.nn.Linear(64, 32)), recipe="nvfp4")

    def test_no_row_of_an_inference_layer_depends_on_another(self):
        x = random(5, 128)
        for recipe in ("mxfp8", "mxfp4", "mxfp8_mxfp4", "nvfp4"):
            for dtype in (BF16, torch.float16, torch.float32):
                model, given = torch.nn.Sequential(torch.nn.Linear(128, 96)).to(PLACE, dtype), x.to(dtype)
                convert(model, inference=True, recipe=recipe)
                y = model(given)
                for fault in (float("nan"), float("inf"), 1000.0, 0.0, 1e-30):
                    with self.subTest(recipe=recipe, dtype=dtype, fault=fault):
                        bad = given.clone()
                        bad[3] = fault
                        found = model(bad)
                        self.assertTrue(torch.equal(found[[0, 1, 2, 4]], y[[0, 1, 2, 4]]))
                        self.assertEqual(found[3].isfinite().any().item(), fault == fault and fault != float("inf"))

    def test_each_row_of_a_product_has_a_factor(self):
        a, b = quantize(random(2, 40, 64)), quantize(random(2, 24, 64, seed=2))
        p, r = (dequantize(*copy, torch.float32).double() for copy in (a, b))
        factors, bias = random(2, 40, 1, dtype=torch.float32, seed=3), random(24, seed=4)
        found = matmul(*a, *b, row_scale=factors, bias=bias, alpha=one(0.5), dtype=torch.float32)
        exact, terms = 0.5 * factors.double() * (p @ r.mT), factors.abs().double() * (p.abs() @ r.abs().mT)
        self.assertNear(found, exact + bias.double(), terms + bias.abs().double())
        with self.assertRaisesRegex(RuntimeError, r"row_scale of shape \(2, 40\): expected \(2, 40, 1\)"):
            matmul(*a, *b, row_scale=factors[:, :, 0])

    def test_what_is_refused_says_why(self):
        x = random(8, 64)
        q, s = quantize(x, "e2m1")
        six, scales = quantize(x, "e2m3")
        for text, call in (
            ("rows of 33 elements of e2m1: expected a multiple of 2", lambda: quantize(random(8, 33), "e2m1")),
            ("rows of 34 elements of e3m2: expected a multiple of 4", lambda: quantize(random(8, 34), "e3m2")),
            ("tensor_scale: expected one for blocks of 1x16 .*found none", lambda: quantize(x, "e2m1", block="1x16")),
            ("found one for blocks of 1x32", lambda: quantize(x, "e2m1", tensor_scale=one(1.0))),
            ("format of q, which is of torch.uint8: expected e2m3, e3m2, found None", lambda: dequantize(six, scales)),
            ("format of a: expected e2m1, as torch.float4_e2m1fn_x2 says, found e2m3", lambda: matmul(q, s, q, s, formats=("e2m3", ""))),
            ("a has rows of 64 elements, and b of 32", lambda: matmul(q, s, q[:, :16], s)),
            ("argument 'x'|dtype of x", lambda: quantize(q, "e2m1")),
        ):
            with self.subTest(text), self.assertRaisesRegex((mxc.Error, RuntimeError), text):
                call()

    def test_pairs_are_codes_of_e2m1_alone(self):
        q, s = quantize(random(8, 64), "e2m1")
        kernel = mxc.Engine("cuda:0" if PLACE == "cuda" else "simulator:sm_90a").load(mxc.sources.dequantize())
        with self.assertRaisesRegex(mxc.Error, "argument 'q'.*(pairs of e2m1: expected e4m3|type: expected e4m3, found e2m1)"):
            kernel(q, s, torch.zeros(8, 32, dtype=BF16, device=PLACE))

    def test_torch_checks_the_operators(self):
        copy, operators = quantize(random(48, 64), "e2m1"), torch.ops.mxc
        every = ("test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")  # torch compares no 4-bit floats
        torch.library.opcheck(operators.matmul.default, (*copy, *copy), {"alpha": one(1.0)}, test_utils=every)
        torch.library.opcheck(operators.dequantize.default, copy, test_utils=every)
