#!/usr/bin/env python3
"""Every check of mxc._shapes, which the operators of torch and JAX share; needs neither of them."""
import unittest

from mxc import _formats as formats
from mxc._shapes import product_shape, scale_shape


class Refused(Exception):
    pass


def refuse(message):
    raise Refused(message)


class Shapes(unittest.TestCase):
    def test_scales(self):
        for rows, columns, tiled, dense in ((1, 1, 512, (1, 1)), (128, 128, 512, (128, 4)), (129, 129, 2048, (129, 5)), (0, 64, 0, (0, 2))):
            self.assertEqual(scale_shape(rows, columns, "tcgen05"), (tiled,))
            self.assertEqual(scale_shape(rows, columns, "dense"), dense)

    def test_scales_in_every_layout(self):
        for layout, block, expected in (
            ("mn_major", "1x128", (2, 132)),
            ("dense", "1x128", (130, 2)),
            ("dense", "128x128", (2, 2)),
            ("padded", "128x128", (2, 4)),
            ("mn_packed", "1x32", (2, 528)),
            ("tcgen05", "1x16", (2 * 4 * 512,)),
        ):
            self.assertEqual(scale_shape(130, 200 if "128" in block or layout == "mn_packed" else 256, layout, block), expected)

    def test_what_libmxc_knows(self):
        self.assertEqual(formats.BLOCKS, {"1x32": (1, 32), "1x16": (1, 16), "1x128": (1, 128), "128x128": (128, 128)})
        self.assertEqual([formats.scale_of(block) for block in formats.BLOCKS], ["ue8m0", "ue4m3", "f32", "f32"])
        self.assertEqual([formats.layout_of_products(block) for block in formats.BLOCKS], ["tcgen05", "tcgen05", "mn_major", "dense"])
        self.assertEqual((formats.scale_of("128x128 to 1x32"), formats.HAVE_TENSOR_SCALES), ("ue8m0", {"1x16"}))
        self.assertEqual([formats.run_of(element) for element in formats.ELEMENTS], [(1, 1), (1, 1), (4, 3), (4, 3), (2, 1)])
        for name, dtype in (("bf16", "bfloat16"), ("f32", "float32"), ("i64", "int64"), ("u8", "uint8"), ("e5m2", "float8_e5m2"), ("ue8m0", "float8_e8m0fnu")):
            self.assertEqual((formats.DTYPES[name], formats.TYPES[dtype]), (dtype, name))
        self.assertEqual((formats.DTYPES["ue4m3"], formats.TYPES["float8_e4m3fn"]), ("float8_e4m3fn", "e4m3"))

    def test_products(self):
        self.assertEqual(product_shape((48, 64), (40, 64), None, None, refuse), (48, 40))
        self.assertEqual(product_shape((2, 48, 64), (2, 40, 64), (40,), (2, 48, 40), refuse), (2, 48, 40))
        self.assertEqual(product_shape((0, 0), (0, 0), (0,), (0, 0), refuse), (0, 0))

    def test_what_is_refused(self):
        for a, b, bias, residual, message in (
            ((64,), (64,), None, None, "a has 1 dimensions: expected 2 or 3"),
            ((1, 1, 48, 64), (1, 1, 40, 64), None, None, "a has 4 dimensions: expected 2 or 3"),
            ((48, 64), (2, 40, 64), None, None, "b has 3 dimensions, and a 2: expected the same"),
            ((48, 64), (64,), None, None, "b has 1 dimensions, and a 2: expected the same"),
            ((48, 64), (40, 32), None, None, "a has rows of 64 elements, and b of 32: expected a [.., M, K] and b [.., N, K]"),
            ((2, 48, 64), (3, 40, 64), None, None, "a is a batch of 2, and b of 3: expected the same"),
            ((48, 64), (40, 64), (48,), None, "bias of shape (48,): expected (40,)"),
            ((48, 64), (40, 64), (1, 40), None, "bias of shape (1, 40): expected (40,)"),
            ((48, 64), (40, 64), (), None, "bias of shape (): expected (40,)"),
            ((48, 64), (40, 64), None, (40, 48), "residual of shape (40, 48): expected (48, 40)"),
            ((2, 48, 64), (2, 40, 64), None, (48, 40), "residual of shape (48, 40): expected (2, 48, 40)"),
        ):
            with self.subTest(message), self.assertRaises(Refused) as found:
                product_shape(a, b, bias, residual, refuse)
            self.assertEqual(str(found.exception), "mxc: " + message)


unittest.main()
