#!/usr/bin/env python3
"""mxc.jax against f64, under jit, and what it refuses: on a GPU where JAX has one, else on a simulated chip."""
import os
import subprocess
import sys
import tempfile
import unittest

import jax
import jax.numpy as jnp
import numpy as np

import mxc
import mxc.jax

ON_GPU = jax.default_backend() == "gpu"
if not ON_GPU:
    mxc.jax.simulate("sm_90a")
BF16, F32 = jnp.bfloat16, jnp.float32


def random(*shape, dtype=BF16, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def exact(array):
    return np.asarray(array.astype(F32)).astype(np.float64)


def bits(array):
    return np.asarray(array).view(f"u{array.dtype.itemsize}")


class Quantizers(unittest.TestCase):
    def test_types_and_shapes(self):
        for dtype in (BF16, jnp.float16, F32):
            x = random(48, 96, dtype=dtype)
            q, s, qt, st = mxc.jax.quantize_both(x, "e5m2")
            self.assertEqual((q.shape, q.dtype, s.shape, s.dtype), ((48, 96), jnp.float8_e5m2, (512,), jnp.float8_e8m0fnu))
            self.assertEqual((qt.shape, st.shape), ((96, 48), (512,)))
        q, s = mxc.jax.quantize(random(48, 96), layout="dense")
        self.assertEqual(s.shape, (48, 3))

    def test_values(self):
        x = random(64, 96, dtype=F32)
        for q, s, given in ((*mxc.jax.quantize(x), x), (*mxc.jax.quantize_column(x), x.T)):
            found = exact(mxc.jax.dequantize(q, s, F32))
            largest = np.abs(exact(given)).reshape(len(given), -1, 32).max(-1).repeat(32, -1)
            self.assertTrue((np.abs(found - exact(given)) <= largest * 2**-4).all())

    def test_as_the_kernels_themselves(self):
        x = random(40, 64)
        engine = mxc.Engine("cuda:0" if ON_GPU else "simulator:sm_90a")
        q, s = engine.load(mxc.sources.quantize("bf16", compat="te")).apply(engine.empty("bf16", x.shape).upload(np.asarray(x)))
        found = mxc.jax.quantize(x, compat="te")
        self.assertEqual(q.download(), np.asarray(found[0]).tobytes())
        self.assertEqual(s.download(), np.asarray(found[1]).tobytes())

    def test_no_rows(self):
        q, s = mxc.jax.quantize(jnp.zeros((0, 64), BF16))
        self.assertEqual((q.shape, s.shape), ((0, 64), (0,)))


class Products(unittest.TestCase):
    def operands(self, *lead):
        x, w = random(*lead, 48, 64, seed=1), random(*lead, 40, 64, seed=2)
        if not lead:
            return mxc.jax.quantize(x) + mxc.jax.quantize(w)
        parts = [[mxc.jax.quantize(matrix) for matrix in tensor] for tensor in (x, w)]
        return [part for tensor in parts for part in (jnp.stack([q for q, _ in tensor]), jnp.concatenate([s for _, s in tensor]))]

    def values(self, q, s):
        return exact(mxc.jax.dequantize(q, s, F32))

    def test_under_jit(self):
        a, sa, b, sb = self.operands()
        y = jax.jit(lambda *operands: mxc.jax.matmul(*operands, dtype=F32) * 2)(a, sa, b, sb)
        np.testing.assert_allclose(exact(y) / 2, self.values(a, sa) @ self.values(b, sb).T, atol=1e-3)

    def test_a_layer_in_one_program(self):
        @jax.jit
        def layer(x, w):
            return jax.nn.relu(mxc.jax.matmul(*mxc.jax.quantize(x + 1), *mxc.jax.quantize(w)))

        x, w = random(48, 64, seed=1), random(40, 64, seed=2)
        a, sa = mxc.jax.quantize(x + 1)
        b, sb = mxc.jax.quantize(w)
        self.assertTrue((bits(layer(x, w)) == bits(jax.nn.relu(mxc.jax.matmul(a, sa, b, sb)))).all())
        lowered = layer.lower(x, w).as_text()
        self.assertEqual(lowered.count("mxc_launch"), 3)

    def test_epilogues(self):
        a, sa, b, sb = self.operands()
        bias, residual = random(40, dtype=F32, seed=3), random(48, 40, seed=4)
        product = self.values(a, sa) @ self.values(b, sb).T
        y = mxc.jax.matmul(a, sa, b, sb, bias=bias, activation="relu", residual=residual, dtype=F32)
        np.testing.assert_allclose(exact(y), np.maximum(product + exact(bias), 0) + exact(residual), atol=1e-3)

    def test_a_batch(self):
        a, sa, b, sb = self.operands(2)
        bias = random(40, seed=3)
        y = mxc.jax.matmul(a, sa, b, sb, bias=bias, dtype=F32)
        for i in range(2):
            product = self.values(a[i], sa[i * 512 : (i + 1) * 512]) @ self.values(b[i], sb[i * 512 : (i + 1) * 512]).T
            np.testing.assert_allclose(exact(y[i]), product + exact(bias), atol=1e-3)

    def test_rows_have_the_same_bits_in_every_batch(self):
        a, sa, b, sb = self.operands()
        y = mxc.jax.matmul(a, sa, b, sb, reduction="sequential", dtype=F32)
        alone = mxc.jax.matmul(a[:16], sa, b, sb, reduction="sequential", dtype=F32)
        self.assertTrue((bits(y[:16]) == bits(alone)).all())

    def test_blocks_of_128(self):
        if ON_GPU and "H" not in jax.devices()[0].device_kind:
            self.skipTest("products with f32 scales are sm_90a's")
        x, w = random(48, 256, seed=1), random(136, 256, seed=2)
        a, sa = mxc.jax.quantize(x, block="1x128")
        b, sb, bt, sbt = mxc.jax.quantize_both(w, block="128x128")
        self.assertEqual((sa.shape, sb.shape, sbt.shape, sa.dtype), ((2, 48), (2, 2), (2, 2), F32))
        y, products = mxc.jax.matmul(a, sa, b, sb, dtype=F32), self.values(a, sa) @ self.values(b, sb).T
        self.assertLess(np.linalg.norm(exact(y) - products), 2e-3 * np.linalg.norm(products))
        self.assertTrue((self.values(bt, sbt) == self.values(b, sb).T).all())


class Layers(unittest.TestCase):
    def test_gradients_by_three_products(self):
        for recipe, size in (("mxfp8", 96), ("blockwise", 256)):
            x, w, bias = random(2, 32, size, dtype=F32, seed=5), random(136, size, dtype=F32, seed=6), random(136, dtype=F32, seed=7)

            def loss(x, w, bias):
                return (mxc.jax.linear(x, w, bias, recipe=recipe) ** 2).sum()

            dx, dw, db = jax.jit(jax.grad(loss, (0, 1, 2)))(x, w, bias)
            rows = exact(x).reshape(64, size)
            y = rows @ exact(w).T + exact(bias)
            for found, expected in ((dx, (2 * y @ exact(w)).reshape(x.shape)), (dw, 2 * y.T @ rows), (db, 2 * y.sum(0))):
                self.assertEqual(found.shape, expected.shape)
                self.assertLess(np.linalg.norm(exact(found) - expected), 0.1 * np.linalg.norm(expected))

    def test_types(self):
        x, w = random(32, 64, seed=5), random(32, 64, dtype=F32, seed=6)
        dx, dw = jax.grad(lambda x, w: mxc.jax.linear(x, w, gradient_format="e5m2").astype(F32).sum(), (0, 1))(x, w)
        self.assertEqual((dx.dtype, dw.dtype), (BF16, F32))

    def test_vmap(self):
        """A launch for each element, and a gradient for each sample."""
        x, w = random(3, 32, 64, seed=5), random(32, 64, seed=6)
        self.assertTrue((bits(jax.vmap(lambda x: mxc.jax.linear(x, w))(x)) == bits(mxc.jax.linear(x, w))).all())
        loss = lambda w, x: (mxc.jax.linear(x, w).astype(F32) ** 2).sum()
        each = jax.vmap(jax.grad(loss), (None, 0))(w, x)
        for i in range(3):
            self.assertTrue((bits(each[i]) == bits(jax.grad(loss)(w, x[i]))).all())

    def test_a_batch_of_matrices(self):
        x = random(3, 40, 64, seed=5)
        for quantizer in (mxc.jax.quantize, mxc.jax.quantize_column, mxc.jax.quantize_both):
            for found, parts in zip(quantizer(x), zip(*(quantizer(matrix) for matrix in x))):
                expected = jnp.stack(parts)
                self.assertTrue((bits(found) == bits(expected).reshape(found.shape)).all())
        back = mxc.jax.dequantize(*mxc.jax.quantize(x))
        self.assertTrue((bits(back[1]) == bits(mxc.jax.dequantize(*mxc.jax.quantize(x[1])))).all())

    def test_what_is_refused(self):
        x, w = random(8, 64), random(16, 64)
        for call, what in (
            (lambda: mxc.jax.linear(x, w, recipe="nvfp4"), "recipe: expected mxfp8, blockwise, found nvfp4"),
            (lambda: mxc.jax.linear(x, w[:, :32]), "expected .*K. and .N, K"),
            (lambda: mxc.jax.quantize(x, "e2m1"), "format: expected e4m3, e5m2, the formats of 8 bits that mxc.jax has, found e2m1"),
            (lambda: mxc.jax.quantize(x, block="1x16"), "found 1x16: mxc.torch has NVFP4"),
        ):
            with self.assertRaisesRegex(mxc.Error, what):
                call()


class Refusals(unittest.TestCase):
    def test_shapes(self):
        x = random(48, 64)
        q, s = mxc.jax.quantize(x)
        other, so = mxc.jax.quantize(random(40, 96))
        for call, what in (
            (lambda: mxc.jax.quantize(x[0]), "x has 1 dimensions: expected 2 or 3"),
            (lambda: mxc.jax.matmul(q, s, other, so), "a has rows of 64 elements, and b of 96"),
            (lambda: mxc.jax.matmul(q[0], s, q, s), "a has 1 dimensions: expected 2 or 3"),
            (lambda: mxc.jax.matmul(q[None, None], s, q[None, None], s), "a has 4 dimensions: expected 2 or 3"),
            (lambda: mxc.jax.matmul(q, s, q[None], s), "b has 3 dimensions, and a 2"),
            (lambda: mxc.jax.matmul(jnp.stack([q] * 2), s, jnp.stack([q] * 3), s), "a is a batch of 2, and b of 3"),
            (lambda: mxc.jax.matmul(q, s, q, s, bias=x[0]), r"bias of shape \(64,\): expected \(48,\)"),
            (lambda: mxc.jax.matmul(q, s, q, s, bias=x[:1, :48]), r"bias of shape \(1, 48\): expected \(48,\)"),
            (lambda: mxc.jax.matmul(q, s, q, s, residual=x), r"residual of shape \(48, 64\): expected \(48, 48\)"),
        ):
            with self.assertRaisesRegex(mxc.InvalidInputError, what):
                call()

    def test_types_and_names(self):
        x = random(48, 64)
        q, s = mxc.jax.quantize(x)
        for call, what in (
            (lambda: mxc.jax.quantize(x.astype(jnp.int32)), "dtype of x: expected bfloat16, float16, float32, found int32"),
            (lambda: mxc.jax.quantize(x, format="e3m4"), "format: expected e4m3, e5m2, .*found e3m4"),
            (lambda: mxc.jax.matmul(x, s, q, s), "dtype of a: expected float8_e4m3fn, float8_e5m2, found bfloat16"),
            (lambda: mxc.jax.matmul(q, s, q, s, dtype="int8"), "dtype of the result"),
            (lambda: mxc.jax.matmul(q, s, q, s, activation="tanh"), "activation: expected relu"),
        ):
            with self.assertRaisesRegex(mxc.UsageError, what):
                call()

    def test_what_only_the_launch_sees(self):
        q, s = mxc.jax.quantize(random(48, 64))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, r"argument 's': shape: expected \[512\].*found \[511\]"):
            jax.block_until_ready(mxc.jax.dequantize(q, s[:-1]))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "argument 's': type: expected ue8m0, found f16"):
            jax.block_until_ready(mxc.jax.dequantize(q, s.astype(jnp.float16)))

    def test_no_gradients_but_of_a_layer(self):
        with self.assertRaisesRegex(ValueError, "cannot be differentiated"):
            jax.grad(lambda x: mxc.jax.dequantize(*mxc.jax.quantize(x)).astype(F32).sum())(random(48, 64))

    @unittest.skipIf(ON_GPU, "is about arrays in the host's memory")
    def test_the_host_needs_a_simulator(self):
        with self.assertRaises(mxc.Error):
            mxc.jax.simulate("sm_1")
        mxc.jax.simulate(None)
        try:
            with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "expected one on a CUDA device, or mxc.jax.simulate"):
                jax.block_until_ready(mxc.jax.quantize(random(48, 64)))
        finally:
            mxc.jax.simulate("sm_90a")


class Processes(unittest.TestCase):
    def test_an_executable_that_jax_kept_runs_in_another_process(self):
        script = (
            "import sys, jax, numpy as np, mxc.jax\n"
            "jax.config.update('jax_compilation_cache_dir', sys.argv[1])\n"
            "jax.config.update('jax_persistent_cache_min_compile_time_secs', 0)\n"
            "jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)\n"
            "jax.default_backend() == 'gpu' or mxc.jax.simulate('sm_90a')\n"
            "q, s = mxc.jax.quantize(jax.numpy.ones((32, 64), 'bfloat16'))\n"
            "print(np.asarray(q).view('u1').sum())\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                run = subprocess.run([sys.executable, "-c", script, folder], capture_output=True, text=True)
                self.assertEqual((run.stdout, run.returncode), (f"{0x78 * 32 * 64}\n", 0), run.stderr)
                self.assertTrue(os.listdir(folder))


print(f"mxc {mxc.version()}, jax {jax.__version__}, {'GPU' if ON_GPU else 'simulated sm_90a'}", flush=True)
if __name__ == "__main__":
    unittest.main(verbosity=2 if ON_GPU else 1)
