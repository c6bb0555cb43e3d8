"""NVFP4's quantizers: copies, tensors' numbers, the transform and random bits."""

import torch
from mxc.torch import nvfp4_amax, quantize_nvfp4
from torch_case import PLACE, Checks, random

_SIGNS = torch.tensor([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1], dtype=torch.float64)
_VALUES = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)


def transformed(x):
    """Every 16 elements of its rows, which bf16 holds exactly."""
    matrix = torch.tensor([[(-1) ** bin(i & j).count("1") for j in range(16)] for i in range(16)], dtype=torch.float64)
    return (x.double().cpu().view(x.shape[0], -1, 16) * _SIGNS @ matrix / 4).reshape(x.shape)


def valued(q, s, amax):
    data = q.cpu().view(torch.uint8)
    codes = torch.stack([data & 15, data >> 4], dim=-1).flatten(1)
    magnitudes = _VALUES[(codes & 7).long()] * (1 - 2 * (codes >> 3).double())
    return magnitudes * s.cpu().double().repeat_interleave(16, dim=1) * (amax.cpu().double() / 2688)


class Nvfp4(Checks):
    def test_a_gradient_both_ways(self):
        dy = torch.randint(-9, 10, (64, 32), generator=torch.Generator().manual_seed(3)).to(torch.bfloat16).to(PLACE)
        copies = dy, transformed(dy.mT)
        amax = nvfp4_amax(dy, "both", "column")
        self.assertEqual(amax.tolist(), [copy.abs().max().item() for copy in copies])
        q, s, qt, st = quantize_nvfp4(dy, amax, "both", hadamard="column", layout="dense", compat="te")
        rows = quantize_nvfp4(dy, amax[:1], layout="dense", compat="te")
        columns = quantize_nvfp4(dy, amax[1:], "column", hadamard="column", layout="dense", compat="te")
        for found, expected in zip((q, s, qt, st), (*rows, *columns)):
            self.assertTrue(torch.equal(found.view(torch.uint8), expected.view(torch.uint8)))
        for copy, codes, scales, of in ((copies[0], q, s, amax[0]), (copies[1], qt, st, amax[1])):
            steps = scales.cpu().double().repeat_interleave(16, dim=1) * (of.cpu().double() / 2688)
            self.assertLessEqual(((valued(codes, scales, of) - copy.cpu().double()).abs() - 1.2 * steps).max().item(), 0)

    def test_random_bits_follow_from_seed_and_offset(self):
        x = random(32, 64)
        amax = x.abs().max().float().view(1)
        drawn = [quantize_nvfp4(x, amax, random=torch.tensor([7, offset], device=PLACE))[0] for offset in (0, 0, 1)]
        bits = [codes.view(torch.uint8) for codes in drawn]
        self.assertTrue(torch.equal(bits[0], bits[1]))
        self.assertFalse(torch.equal(bits[0], bits[2]))

    def test_what_is_refused(self):
        x = random(32, 64)
        with self.assertRaisesRegex(RuntimeError, r"amax of shape \(1,\): expected \(2,\)"):
            quantize_nvfp4(x, torch.ones(1, device=PLACE), "both", hadamard="column")
        with self.assertRaisesRegex(RuntimeError, "rows of 33 elements of e2m1: expected a multiple of 2"):
            quantize_nvfp4(random(33, 64), torch.ones(1, device=PLACE), "column")
