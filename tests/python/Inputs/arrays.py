#!/usr/bin/env python3
"""Arrays of NumPy, with the types of ml_dtypes, as a simulator's arguments and results: arrays.py EXAMPLES"""
import pathlib
import sys
import unittest

import ml_dtypes
import mxc
import numpy as np

QUANTIZE = pathlib.Path(sys.argv.pop(1)) / "quantize.mlir"
ROWS, COLUMNS = 100, 256
E4M3, UE8M0 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e8m0fnu


class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = mxc.Engine("simulator:sm_90a", cache="", checks="strict")
        cls.kernel = cls.engine.load(QUANTIZE)

    def setUp(self):
        numbers = np.random.default_rng(1)
        self.x = np.ldexp(numbers.normal(size=(ROWS, COLUMNS)), numbers.integers(-9, 9, (ROWS, 1))).astype(ml_dtypes.bfloat16)
        self.q = np.zeros((ROWS, COLUMNS), E4M3)
        self.s = np.zeros(self.kernel.shape("s", x=self.x, q=self.q), UE8M0)

    def expected(self):
        """Codes by docs/semantics/scales.md, rounding = ceil."""
        blocks = self.x.astype(np.float64).reshape(ROWS, -1, 32)
        mantissa, exponent = np.frexp(np.abs(blocks).max(2) / 448)
        exponent = exponent - (mantissa == 0.5)
        return np.ldexp(blocks, -exponent[:, :, None]).astype(np.float32).astype(E4M3).reshape(ROWS, COLUMNS)

    def assertQuantized(self, q):
        np.testing.assert_array_equal(np.asarray(q).view(np.uint8), self.expected().view(np.uint8))

    def test_arrays_go_in_and_come_out(self):
        self.kernel(x=self.x, q=self.q, s=self.s)
        self.assertQuantized(self.q)
        y = self.engine.load(mxc.sources.dequantize(values="f32")).apply(self.q, self.s)
        error = np.abs(y.numpy() - self.x.astype(np.float32)) / np.abs(self.x.astype(np.float32)).reshape(ROWS, -1, 32).max(2).repeat(32, 1)
        self.assertLess(error.max(), 2**-4)

    def test_on_a_stream_the_call_waits(self):
        self.kernel(self.x, self.q, self.s, stream=self.engine.stream())
        self.assertQuantized(self.q)

    def test_arrays_beside_tensors(self):
        x = self.engine.empty("bf16", self.x.shape).upload(self.x)
        self.kernel(x, self.q, self.engine.empty("ue8m0", self.s.shape))
        self.assertQuantized(self.q)
        q, s = self.kernel.apply(self.x)
        self.assertQuantized(q.numpy())
        np.testing.assert_array_equal(x.numpy(), self.x)

    def test_bits_whose_types_have_no_name(self):
        self.kernel(self.x.view(np.uint16), self.q.view(np.uint8), self.s.view("V1"))
        self.assertQuantized(self.q)

    def test_bytes_of_elements_of_four_bits_and_their_scales(self):
        kernel, one = self.engine.load(QUANTIZE.with_name("quantize_nvfp4.mlir")), np.ones(1, np.float32)
        x = np.tile(np.arange(16) % 7, (2, 4)).astype(ml_dtypes.bfloat16)  # the largest in each block is 6: a scale of 1
        q, s = np.zeros((2, 32), np.uint8), np.zeros(512, np.uint8)
        kernel(x=x, tensor_scale=one, q=q, s=s)
        codes = np.stack([q & 15, q >> 4], -1).reshape(2, 64)
        np.testing.assert_array_equal(codes, np.array([0, 2, 4, 5, 6, 6, 7])[x.astype(int)])  # 5 is halfway between 4 and 6
        self.assertEqual(sorted(set(s.tolist())), [0, 0x38])

    def test_tensors_as_arrays(self):
        for type, dtype in (("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("e4m3", ml_dtypes.float8_e4m3fn)):
            values = np.arange(6).reshape(2, 3).astype(dtype)
            tensor = self.engine.empty(type, (2, 3)).upload(values)
            found = np.asarray(tensor)
            self.assertEqual((found.dtype, tensor.dtype, repr(tensor)), (dtype, type, f"<mxc.Tensor {type}[2, 3] on {self.engine.device}>"))
            np.testing.assert_array_equal(found, values)
            self.assertEqual(np.asarray(tensor, dtype="f8").tolist(), [[0, 1, 2], [3, 4, 5]])
            with self.assertRaisesRegex(ValueError, "expected copy=None or True"):
                tensor.__array__(copy=False)

    def test_arrays_that_are_not_contiguous(self):
        wide = np.zeros((ROWS, 2 * COLUMNS), E4M3)
        self.kernel(np.asfortranarray(self.x), wide[:, ::2], self.s)
        self.assertQuantized(np.ascontiguousarray(wide[:, ::2]))
        self.assertFalse(wide[:, 1::2].view(np.uint8).any())

    def test_numpy_of_every_type(self):
        for type, dtype in (("f32", np.float32), ("f16", np.float16), ("i32", np.int32), ("i64", np.int64), ("u8", np.uint8),
                            ("bf16", ml_dtypes.bfloat16), ("e4m3", E4M3), ("e5m2", ml_dtypes.float8_e5m2), ("ue8m0", UE8M0)):  # fmt: skip
            numbers = np.array([[1, 2, 4], [8, 16, 32]]).astype(dtype)
            found = self.engine.empty(type, numbers.shape).upload(numbers).numpy()
            self.assertEqual(found.dtype, numbers.dtype)
            np.testing.assert_array_equal(found, numbers)
            found[0, 0] = 2  # an array of its own
        bits = self.engine.empty("bf16", (2,)).upload(np.array([1, -2], ml_dtypes.bfloat16)).numpy("uint16")
        np.testing.assert_array_equal(bits, [0x3F80, 0xC000])
        self.assertEqual(self.engine.empty("e4m3", (0, 32)).numpy().shape, (0, 32))

    def test_numpys_numbers_are_scalars(self):
        one = np.ones((1, 1), np.uint8)
        kernel = self.engine.load(QUANTIZE.with_name("matmul_bias_gelu.mlir"))
        with self.assertRaisesRegex(mxc.InvalidInputError, "argument 'sa' is missing"):
            kernel(a=one, b=one, alpha=np.float32(0.5))

    def test_what_is_refused_says_why(self):
        fixed = self.q.copy()
        fixed.flags.writeable = False
        for error, text, call in (
            (mxc.InvalidInputError, "'x': type: expected bf16, found f32", lambda: self.kernel(self.x.astype(np.float32), self.q, self.s)),
            (mxc.InvalidInputError, "'x': array of complex64: no kernel", lambda: self.kernel(self.x.astype(np.complex64), self.q, self.s)),
            (mxc.InvalidInputError, "'x': array of >f4: expected little", lambda: self.kernel(self.x.astype(">f4"), self.q, self.s)),
            (mxc.InvalidInputError, "'q': array may only be read", lambda: self.kernel(self.x, fixed, self.s)),
            (mxc.InvalidInputError, "'q': type: expected e4m3, found e5m2", lambda: self.kernel(self.x, self.q.astype(ml_dtypes.float8_e5m2), self.s)),
            (mxc.InvalidInputError, "'q': array of float8_e4m3: no", lambda: self.kernel(self.x, self.q.astype(ml_dtypes.float8_e4m3), self.s)),
            (mxc.InvalidInputError, "dimension M is", lambda: self.kernel(self.x, self.q[1:], self.s)),
            (mxc.UsageError, "a prepared launch repeats on tensors of simulator:sm_90a", lambda: self.kernel.prepare(self.x, self.q, self.s)),
        ):  # fmt: skip
            with self.assertRaisesRegex(error, text):
                call()
        self.assertFalse(self.q.view(np.uint8).any())


class WithoutMlDtypes(unittest.TestCase):
    def test_what_numpy_lacks_is_named(self):
        tensor = mxc.Engine("simulator:sm_90a", cache="").empty("bf16", (2,)).upload(bytes(4))
        kept, sys.modules["ml_dtypes"] = sys.modules["ml_dtypes"], None
        try:
            with self.assertRaisesRegex(mxc.UsageError, r"NumPy has no bf16: expected the package ml_dtypes .* numpy\('uint16'\)"):
                tensor.numpy()
        finally:
            sys.modules["ml_dtypes"] = kept


unittest.main()
