#!/usr/bin/env python3
"""The package mxc with torch on a GPU; with CuPy and JAX where they are installed.

  pip install mxc-0.1.0-*.whl && python3 tests/python/on_gpu.py

Ends with a line of latencies. Takes about a minute, most of it torch's own compilation."""
import pathlib
import threading
import time
import unittest

import mxc
import torch

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "examples"
FORMATS = {"e4m3": (torch.float8_e4m3fn, 448.0), "e5m2": (torch.float8_e5m2, 57344.0)}


def heavy_tailed(rows, columns, dtype, seed=1):
    torch.manual_seed(seed)
    exponents = torch.randint(-12, 13, (rows, (columns + 31) // 32), device="cuda").repeat_interleave(32, 1)[:, :columns]
    return torch.ldexp(torch.randn(rows, columns, device="cuda"), exponents).to(dtype)


def power_of_two(exponents):
    """Exact, by its bits: torch's ldexp goes through pow."""
    return ((exponents.long() + 1023) << 52).view(torch.float64)


def reference(x, format):
    """Codes and dense scales by docs/semantics/scales.md, rounding = ceil, in f64."""
    dtype, largest = FORMATS[format]
    rows, columns = x.shape
    padded = torch.nn.functional.pad(x.double(), (0, -columns % 32)).view(rows, -1, 32)
    mantissa, exponent = torch.frexp(padded.abs().amax(2) / largest)
    exponent = torch.where(mantissa == 0.5, exponent - 1, exponent)
    codes = torch.where(mantissa == 0, 0, (exponent + 127).clamp(0, 254))
    scaled = (padded * power_of_two(127 - codes).unsqueeze(2)).clamp(-largest, largest)
    return scaled.float().to(dtype).view(rows, -1)[:, :columns], codes.to(torch.uint8)


def in_tiles(scales):
    """Dense scales in the layout of tcgen05: tiles of 128 rows and 4 blocks."""
    rows, blocks = scales.shape
    padded = torch.nn.functional.pad(scales, (0, -blocks % 4, 0, -rows % 128))
    tiles = padded.view(-1, 4, 32, padded.shape[1] // 4, 4)  # row tile, group of 32, row, block tile, block
    return tiles.permute(0, 3, 2, 1, 4).reshape(-1)


def bytes_of(tensor):
    return tensor.contiguous().view(torch.uint8)


class Operators(unittest.TestCase):
    def assertSameBytes(self, found, expected):
        self.assertEqual(found.shape, expected.shape)
        wrong = (bytes_of(found) != bytes_of(expected)).sum().item()
        self.assertEqual(wrong, 0, f"{wrong} bytes of {expected.numel()} differ")

    def test_quantize_gives_the_reference_bytes(self):
        for rows, columns in ((1000, 7168), (128, 256), (1, 32), (77, 100)):
            for dtype in (torch.bfloat16, torch.float16, torch.float32):
                for format in FORMATS:
                    x = heavy_tailed(rows, columns, dtype)
                    codes, scales = reference(x, format)
                    with self.subTest(rows=rows, columns=columns, dtype=dtype, format=format):
                        q, s = mxc.torch.quantize(x, format, layout="dense")
                        self.assertSameBytes(q, codes)
                        self.assertSameBytes(s, scales)
                        q, s = torch.ops.mxc.quantize(x, format)
                        self.assertSameBytes(q, codes)
                        self.assertSameBytes(s, in_tiles(scales))

    def test_columns_and_both(self):
        x = heavy_tailed(1000, 480, torch.bfloat16)
        qt, st = mxc.torch.quantize_column(x)
        codes, scales = reference(x.t().contiguous(), "e4m3")
        self.assertSameBytes(qt, codes)
        self.assertSameBytes(st, in_tiles(scales))
        for found, expected in zip(mxc.torch.quantize_both(x), (*mxc.torch.quantize(x), qt, st)):
            self.assertSameBytes(found, expected)

    def test_dequantize(self):
        x = heavy_tailed(300, 512, torch.bfloat16)
        for layout in ("tcgen05", "dense"):
            q, s = mxc.torch.quantize(x, layout=layout)
            codes, scales = reference(x, "e4m3")
            exact = codes.double().view(300, -1, 32) * power_of_two(scales.long() - 127).unsqueeze(2)
            self.assertTrue(torch.equal(mxc.torch.dequantize(q, s, torch.float32, layout), exact.view(300, -1).float()))

    def test_rows_that_lie_apart_and_columns_that_do(self):
        wide = heavy_tailed(256, 1024, torch.bfloat16)
        for x in (wide[:, 128:640], wide.t(), wide[::2]):
            self.assertSameBytes(mxc.torch.quantize(x)[0], reference(x, "e4m3")[0])

    def test_torch_checks_the_operators(self):
        x = heavy_tailed(100, 256, torch.bfloat16)
        q, s = mxc.torch.quantize(x)
        checks = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        for operator, arguments, left_out in (
            ("quantize", (x,), 0),
            ("quantize_column", (x,), 0),
            ("quantize_both", (x,), 0),
            ("dequantize", (q, s), 1),  # the first check computes with the arguments: torch cannot, with 8 bits
        ):
            with self.subTest(operator):
                torch.library.opcheck(getattr(torch.ops.mxc, operator).default, arguments, test_utils=checks[left_out:])

    def test_compiled_with_shapes_that_change(self):
        @torch.compile(fullgraph=True, dynamic=True)
        def halved(x):
            q, s = torch.ops.mxc.quantize(x * 2)
            return q, s, s.shape[0]

        for rows in (128, 200, 512):
            x = heavy_tailed(rows, 256, torch.bfloat16)
            q, s, size = halved(x)
            codes, scales = reference(x * 2, "e4m3")
            self.assertSameBytes(q, codes)
            self.assertSameBytes(s, in_tiles(scales))
            self.assertEqual(size, s.numel())

    def test_in_a_cuda_graph(self):
        x = heavy_tailed(512, 512, torch.bfloat16)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # the kernel was not used before: dtype and format are its own
            q, s = mxc.torch.quantize(x, "e5m2", "floor")
        fresh = heavy_tailed(512, 512, torch.bfloat16, seed=2)
        x.copy_(fresh)
        graph.replay()
        self.assertSameBytes(q, mxc.torch.quantize(fresh, "e5m2", "floor")[0])

    def test_on_the_current_stream(self):
        x, stream = heavy_tailed(4096, 4096, torch.bfloat16), torch.cuda.Stream()
        mxc.torch.quantize(x)
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(200_000_000)  # 0.1 s: who does not wait for it reads the old values
            x.mul_(4)
            q, _ = mxc.torch.quantize(x)
        torch.cuda.default_stream().synchronize()
        self.assertFalse(stream.query(), "the launch waited for the stream")
        stream.synchronize()
        self.assertSameBytes(q, reference(x, "e4m3")[0])

    def test_refusals(self):
        with self.assertRaisesRegex(mxc.Error, "format: expected e4m3, e5m2, .*found e3m4"):
            mxc.torch.quantize(heavy_tailed(8, 32, torch.bfloat16), "e3m4")
        with self.assertRaisesRegex(mxc.Error, "dtype of x"):
            mxc.torch.quantize(torch.zeros(8, 32, device="cuda", dtype=torch.int32))


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = mxc.Engine("cuda:0")
        cls.kernel = cls.engine.load(EXAMPLES / "quantize.mlir")

    def outputs(self, shape):
        q = torch.zeros(shape, dtype=torch.uint8, device="cuda")
        return q, torch.zeros((-(-shape[0] // 128) * -(-shape[1] // 128) * 512,), dtype=torch.uint8, device="cuda")

    def check(self, x, q, s):
        codes, scales = reference(x, "e4m3")
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(q, bytes_of(codes)) and torch.equal(s, in_tiles(scales)))

    def test_tensors_of_torch_by_all_three_ways(self):
        class Dlpack:
            def __init__(self, tensor):
                self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__

        class Array:
            def __init__(self, tensor):
                self.__cuda_array_interface__ = tensor.view(torch.int16).__cuda_array_interface__
                self.__cuda_array_interface__["typestr"] = "<u2"

        x = heavy_tailed(300, 640, torch.bfloat16)
        for way in (lambda t: t, Dlpack, Array):
            q, s = self.outputs(x.shape)
            torch.cuda.synchronize()
            self.kernel(way(x), q, s)
            self.check(x, q, s)

    def test_prepared_and_from_threads(self):
        x = heavy_tailed(300, 640, torch.bfloat16)
        results = [self.outputs(x.shape) for _ in range(8)]
        torch.cuda.synchronize()

        def launch(q, s):
            with torch.cuda.stream(torch.cuda.Stream()):
                self.kernel.prepare(x, q, s)()  # on the thread's current stream

        threads = [threading.Thread(target=launch, args=result) for result in results]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            self.check(x, *result)

    def test_tensors_elsewhere_are_refused(self):
        q, s = self.outputs((8, 128))
        with self.assertRaisesRegex(mxc.InvalidInputError, "torch tensor on cpu: expected cuda:0"):
            self.kernel(torch.zeros(8, 128, dtype=torch.bfloat16), q, s)

    def test_arrays_of_cupy(self):
        try:
            import cupy
        except ImportError:
            self.skipTest("no CuPy")
        kernel = self.engine.load((EXAMPLES / "quantize.mlir").read_text().replace("bf16", "f16"))
        x = heavy_tailed(300, 640, torch.float16)  # CuPy has no bf16
        q, s = self.outputs(x.shape)
        torch.cuda.synchronize()
        with cupy.cuda.Stream() as stream:
            kernel(cupy.asarray(x), cupy.asarray(q), cupy.asarray(s))
            stream.synchronize()
        self.check(x, q, s)

    def test_arrays_of_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest("no JAX")
        x = heavy_tailed(300, 640, torch.bfloat16)
        q, s = self.outputs(x.shape)
        torch.cuda.synchronize()
        self.kernel(jax.dlpack.from_dlpack(x), q, s)
        self.check(x, q, s)


def microseconds(call, count=2000):
    for _ in range(50):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return elapsed / count * 1e6


class Latency(unittest.TestCase):
    def test_what_a_host_waits_for(self):
        x = heavy_tailed(1, 32, torch.bfloat16)
        q, s = torch.empty_like(x, dtype=torch.uint8), torch.empty(512, dtype=torch.uint8, device="cuda")
        kernel = mxc.Engine("cuda:0").load(EXAMPLES / "quantize.mlir")
        stream = torch.cuda.current_stream().cuda_stream
        prepared = kernel.prepare(x, q, s)
        print(
            f"\nlatency: prepared launch {microseconds(lambda: prepared(stream)):.1f} us, checked launch "
            f"{microseconds(lambda: kernel(x, q, s)):.1f} us, operator of torch {microseconds(lambda: mxc.torch.quantize(x)):.1f} us"
        )


if __name__ == "__main__":
    print(f"mxc {mxc.version()}, torch {torch.__version__}, {torch.cuda.get_device_name()}")
    unittest.main(verbosity=2)
