"""What all checks of mxc.torch share: the device, random tensors, and the bounds of docs/semantics/product.md."""

import sys
import unittest

import mxc
import torch
from mxc.torch import dequantize, quantize, quantize_column

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
        """docs/semantics/product.md, P2; terms: the sum of the products' magnitudes. Results of 16 bits are rounded once more."""
        step = {torch.float32: 2.0**-24, BF16: 2.0**-8, torch.float16: 2.0**-11}[dtype]
        self.assertEqual(found.dtype, dtype)
        self.assertEqual(found.shape, expected.shape)
        error = (found.double() - expected).abs()
        bound = 2.0**-12 * terms + step * expected.abs() + 2.0**-24
        if error.numel():
            self.assertLessEqual((error - bound).max().item(), 0)
