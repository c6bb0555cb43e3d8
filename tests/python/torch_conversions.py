"""Scales and elements of blocks of 32 and of 128, one made of the other."""

import mxc
import torch
from mxc.torch import convert_scales, dequantize, matmul, quantize, requantize, scales_for_scaled_mm, scales_from_scaled_mm
from torch_case import PLACE, Checks, random, values


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
