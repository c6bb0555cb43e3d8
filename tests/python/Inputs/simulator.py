#!/usr/bin/env python3
"""The package mxc on the simulator: simulator.py EXAMPLES. Needs nothing but the package."""
import copy
import ctypes
import fractions
import gc
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
import weakref

import mxc

EXAMPLES = pathlib.Path(sys.argv.pop(1))
QUANTIZE = EXAMPLES / "quantize.mlir"
ROWS, COLUMNS = 100, 256
ONE, CODE_OF_ONE = struct.pack("<H", 0x3F80), b"\x78"  # bf16; e4m3 with a scale of 2^-8


class Array:
    """What has __cuda_array_interface__ and nothing else."""

    def __init__(self, tensor, typestr, strides=None, read_only=False, stream=None):
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tensor.shape,
            "typestr": typestr,
            "data": (tensor.address, read_only),
            "strides": strides,
            "stream": stream,
            "version": 3,
        }


class Dlpack:
    """What has DLPack's protocol and nothing else."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **asked):
        return self.tensor.__dlpack__(**asked)


class OldDlpack:
    """What has the protocol as it was before version 1: capsules without a version, and no parameter for one."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, stream=None):
        from mxc import _dlpack

        address, self.kept = _dlpack.borrow(self.tensor, stream)
        return _dlpack._new(address + _dlpack._Managed.tensor.offset, b"dltensor", None)


class Quantize(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = mxc.Engine("simulator:sm_90a", cache="")
        cls.kernel = cls.engine.load(QUANTIZE)

    def setUp(self):
        self.x = self.engine.empty("bf16", (ROWS, COLUMNS)).upload(ONE * ROWS * COLUMNS)
        self.q = self.engine.empty("e4m3", (ROWS, COLUMNS)).upload(bytes(ROWS * COLUMNS))
        self.s = self.engine.empty("ue8m0", self.kernel.shape("s", x=self.x, q=self.q))

    def assertQuantized(self):
        self.assertEqual(self.q.download(), CODE_OF_ONE * ROWS * COLUMNS)
        self.assertEqual(self.s.download().count(b"\x77"), ROWS * COLUMNS // 32)  # 2^-8; padding is 0

    def test_a_kernel_says_what_it_takes(self):
        self.assertEqual(self.kernel.name, "quantize")
        self.assertEqual(self.kernel.arguments[0], mxc.Argument("x", "bf16", "tensor", False, 2))
        self.assertEqual(self.kernel.arguments[2], mxc.Argument("s", "ue8m0", "tensor", True, 1))
        self.assertEqual(self.s.shape, (1024,))
        self.assertEqual(self.engine.model, "NVIDIA H200 (simulated)")

    def test_by_position_by_name_and_by_mapping(self):
        self.kernel(self.x, self.q, self.s)
        self.assertQuantized()
        self.kernel(self.x, s=self.s, q=self.q.upload(bytes(self.q.nbytes)))
        self.assertQuantized()
        self.kernel.launch({"x": self.x, "q": self.q.upload(bytes(self.q.nbytes)), "s": self.s})
        self.assertQuantized()

    def test_on_streams_of_others(self):
        stream = self.engine.stream()

        class CudaStream:
            def __cuda_stream__(self):
                return 0, stream.handle

        for given in (stream, stream.handle, CudaStream()):
            self.kernel(self.x, self.q.upload(bytes(self.q.nbytes)), self.s, stream=given)
            stream.synchronize()
            self.assertQuantized()

    def test_the_stream_that_an_array_announces_is_taken(self):
        stream = self.engine.stream()
        self.kernel(Array(self.x, "<u2", stream=stream.handle), self.q, self.s)
        stream.synchronize()
        self.assertQuantized()
        with self.assertRaises(mxc.DeviceError):  # a stream that there is not
            self.kernel(Array(self.x, "<u2", stream=0xDEAD0), self.q, self.s)

    def test_arrays_whose_bytes_have_no_name(self):
        self.kernel(Array(self.x, "<u2"), Array(self.q, "|V1"), Array(self.s, "|u1"))
        self.assertQuantized()

    def test_a_tensor_of_dlpack_alone(self):
        self.kernel(Dlpack(self.x), Dlpack(self.q), Dlpack(self.s))
        self.assertQuantized()
        self.kernel(OldDlpack(self.x), OldDlpack(self.q.upload(bytes(self.q.nbytes))), OldDlpack(self.s))
        self.assertQuantized()

    def test_rows_may_lie_apart(self):
        wide = self.engine.empty("bf16", (ROWS, 2 * COLUMNS)).upload((ONE * COLUMNS + bytes(2 * COLUMNS)) * ROWS)
        wide.shape = (ROWS, COLUMNS)
        array = Array(wide, "<u2", strides=(4 * COLUMNS, 2))
        source = QUANTIZE.read_text().replace("memref<?x?xbf16>", "memref<?x?xbf16, strided<[?, 1]>>")
        self.engine.load(source)(array, self.q, self.s)
        self.assertQuantized()
        with self.assertRaisesRegex(ValueError, "row stride: expected 256 .*, found 512"):
            self.kernel(array, self.q, self.s)

    def test_a_prepared_launch_repeats(self):
        launch = self.kernel.prepare(self.x, self.q, self.s)
        launch()
        self.q.upload(bytes(self.q.nbytes))
        launch(self.engine.stream())
        self.assertQuantized()

    def test_a_prepared_launch_goes_where_a_call_would(self):
        stream = self.engine.stream()
        self.kernel.prepare(Array(self.x, "<u2", stream=stream.handle), self.q, self.s)()
        stream.synchronize()
        self.assertQuantized()
        with self.assertRaises(mxc.DeviceError):
            self.kernel.prepare(Array(self.x, "<u2", stream=0xDEAD0), self.q, self.s)()

    def test_threads_launch_at_once(self):
        outputs = [
            (self.engine.empty("e4m3", (ROWS, COLUMNS)), self.engine.empty("ue8m0", self.s.shape)) for _ in range(4)
        ]

        def launch(q, s):
            self.engine.load(QUANTIZE)(self.x, q, s, stream=self.engine.stream())

        threads = [threading.Thread(target=launch, args=output) for output in outputs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for self.q, self.s in outputs:
            self.assertQuantized()

    def test_what_is_refused_says_why(self):
        def refused(error, text, call):
            with self.assertRaisesRegex(error, text) as caught:
                call()
            self.assertIsInstance(caught.exception, mxc.Error)

        x, q, s, kernel = self.x, self.q, self.s, self.kernel
        refused(mxc.InvalidInputError, "argument 's' is missing", lambda: kernel(x, q))
        refused(mxc.UsageError, r"takes 3 arguments \(x, q, s\), found 4", lambda: kernel(x, q, s, s))
        refused(mxc.UsageError, "argument 'x' is given twice", lambda: kernel(x, q, s, x=x))
        refused(ValueError, "argument 'x': type: expected bf16, found f32", lambda: kernel(Array(x, "<f4"), q, s))
        refused(ValueError, "argument 'x': array of <c8", lambda: kernel(Array(x, "<c8"), q, s))
        refused(ValueError, "argument 'x': array of >u2: expected little endian", lambda: kernel(Array(x, ">u2"), q, s))
        refused(ValueError, "whole elements of 2", lambda: kernel(Array(x, "<u2", strides=(513, 2)), q, s))
        refused(ValueError, "may only be read", lambda: kernel(x, Array(q, "|u1", read_only=True), s))
        refused(ValueError, "argument 'x' is of type object", lambda: kernel(object(), q, s))
        refused(ValueError, "expected a tensor, found a number", lambda: kernel(1, q, s))
        other = mxc.Engine("simulator:sm_90a").empty("bf16", (ROWS, 32))
        refused(ValueError, r"dimension K is 32 by argument 'x' of shape \[100, 32\], but 256 by argument 'q'", lambda: kernel(other, q, s))
        elsewhere = mxc.Engine("simulator:sm_100a").empty("bf16", (ROWS, COLUMNS))
        refused(
            ValueError,
            r"argument 'x': DLPack tensor on the device of type 12, number 100: expected simulator:sm_90a \(type 12, number 90\)",
            lambda: kernel(elsewhere, q, s),
        )
        refused(mxc.UsageError, "has no argument 'z': it has x, q, s", lambda: kernel.shape("z"))
        refused(mxc.UsageError, "no ':' in it", lambda: mxc.Engine("gpu"))
        refused(mxc.InvalidInputError, "cannot read /nonexistent", lambda: self.engine.load(pathlib.Path("/nonexistent")))
        refused(mxc.InvalidInputError, r"k.mlir:1:12: error:", lambda: self.engine.load("mx.kernel @(", name="k.mlir"))
        refused(mxc.InvalidInputError, "cannot read nonexistent.mlir", lambda: self.engine.load("nonexistent.mlir"))
        refused(mxc.InvalidInputError, "no file has such a name", lambda: self.engine.load("a\0b"))
        refused(ValueError, "of 51200 bytes cannot take 3", lambda: x.upload(b"abc"))
        surrogate = "mx.kernel @k() {\ud800}"
        refused(mxc.InvalidInputError, "source: expected Unicode text, found '.ud800'", lambda: self.engine.load(surrogate))
        refused(mxc.UsageError, "name: expected Unicode text, found '.ud800'", lambda: self.engine.load(QUANTIZE, name="\ud800"))
        refused(mxc.InvalidInputError, "expected Unicode text", lambda: mxc.compile(surrogate))

        class ndarray(Dlpack):  # as NumPy's are
            def __dlpack_device__(self):
                return 1, 0

        ndarray.__module__, ndarray.__qualname__ = "numpy", "ndarray"
        refused(
            mxc.InvalidInputError,
            "argument 'x' is a numpy.ndarray in the host's memory: expected a tensor in the memory of simulator:sm_90a",
            lambda: kernel(ndarray(x), q, s),
        )

    def test_a_file_by_its_path(self):
        for path in (QUANTIZE, str(QUANTIZE)):
            self.assertEqual(self.engine.load(path).name, "quantize")
        self.assertEqual(mxc.compile(str(QUANTIZE), "sm_90a", "ptx"), mxc.compile(QUANTIZE, "sm_90a", "ptx"))
        self.assertEqual(self.engine.load(QUANTIZE.read_text()).name, "quantize")

    def test_a_fault_is_told_in_the_exception(self):
        ptx = mxc.compile(QUANTIZE, "sm_100a", "ptx")
        wild = ptx.replace("ret;", "{ .reg .b64 %wild; mov.b64 %wild, 64; st.global.b64 [%wild], %wild; } ret;")
        script = (
            "import sys, mxc\n"
            "engine = mxc.Engine('simulator:sm_100a', cache='')\n"
            "kernel = engine.load(sys.stdin.read().encode())\n"
            "x, q = engine.empty('bf16', (8, 32)).upload(bytes(512)), engine.empty('e4m3', (8, 32))\n"
            "try:\n"
            "    kernel(x, q, engine.empty('ue8m0', kernel.shape('s', x=x, q=q)))\n"
            "    engine.stream().synchronize(), q.download()\n"
            "except mxc.DeviceError as error:\n"
            "    print(error)\n"
        )
        run = subprocess.run([sys.executable, "-c", script], input=wild, capture_output=True, text=True, check=True)
        for part in ("CUDA_ERROR_ILLEGAL_ADDRESS", "context is lost:\nsimulator: out of bounds", "PTX line", "CTA (0, "):
            self.assertIn(part, run.stdout)
        self.assertNotIn("standard error", run.stdout)
        self.assertEqual(run.stderr, "")

    def test_numbers_that_do_not_fit_are_not_cut_off(self):
        def refused(text, call):
            with self.assertRaisesRegex((mxc.InvalidInputError, mxc.UsageError), text):
                call()

        x, q, s, kernel = self.x, self.q, self.s, self.kernel
        refused("argument 'x': expected -9223372036854775808 to .*, found 18446744073709551616", lambda: kernel(1 << 64, q, s))
        refused("stream: expected 0 to", lambda: kernel(x, q, s, stream=1 << 64))
        refused("stream: expected 0 to", lambda: kernel(x, q, s, stream=-1))
        refused("a number or a stream of torch, .* found str", lambda: kernel(x, q, s, stream="1"))
        wide = Array(x, "<u2")
        wide.__cuda_array_interface__["shape"] = ((1 << 64) + ROWS, COLUMNS)
        refused("argument 'x': array size: expected", lambda: kernel(wide, q, s))
        far = Array(x, "<u2")
        far.__cuda_array_interface__["data"] = ((1 << 64) + x.address, False)
        refused("argument 'x': array address: expected", lambda: kernel(far, q, s))
        refused("bytes of a tensor", lambda: self.engine.empty("f32", (1 << 62,)))
        refused("a tensor's size", lambda: self.engine.empty("f32", (1 << 64,)))
        refused(r"shape \(-3,\): expected up to 5 sizes from 0", lambda: self.engine.empty("f32", (-3,)))
        refused("expected up to 5 sizes", lambda: self.engine.empty("f32", (1,) * 6))
        refused("of type 'f31': expected bf16, ", lambda: self.engine.empty("f31", (1,)))
        refused("cache_bytes: expected 0 to", lambda: mxc.Engine("simulator:sm_90a", cache_bytes=-1))

    def test_texts_that_end_early_or_are_none(self):
        for call in (
            lambda: mxc.Engine("simulator:sm_90a\0"),
            lambda: self.engine.load(QUANTIZE, tile="warps = 4\0, warps = 8"),
            lambda: self.engine.load(QUANTIZE, kernel="quantize\0"),
            lambda: mxc.compile(QUANTIZE, stage="ptx\0"),
            lambda: self.kernel.launch({"x\0": self.x}),
        ):
            with self.assertRaisesRegex(mxc.UsageError, "has a NUL in it"):
                call()
        for text, call in (
            ("source: expected a str, bytes or a path object, found int", lambda: self.engine.load(5)),
            ("device: expected a str, found int", lambda: mxc.Engine(0)),
            ("stage: expected a str, found int", lambda: mxc.compile(QUANTIZE, stage=3)),
            ("tile: expected a str, found int", lambda: self.engine.load(QUANTIZE, tile=5)),
        ):
            with self.assertRaisesRegex(TypeError, text):
                call()

    def test_a_file_whose_name_is_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / os.fsdecode(b"\xff.mlir")
            path.write_bytes(QUANTIZE.read_bytes())
            self.assertEqual(self.engine.load(path).name, "quantize")

    def test_numbers_of_others_are_numbers(self):
        with self.assertRaisesRegex(mxc.InvalidInputError, "expected a tensor, found a number"):
            self.kernel(fractions.Fraction(1, 2), self.q, self.s)  # registered as NumPy's are

    def test_arrays_that_are_none(self):
        for change, text in (
            ({"mask": object()}, "array with a mask"),
            ({"typestr": "zz"}, "whose __cuda_array_interface__ is none"),
            ({"data": None}, "whose __cuda_array_interface__ is none"),
            ({"strides": (2,)}, "do not belong to shape"),
        ):
            array = Array(self.x, "<u2")
            array.__cuda_array_interface__.update(change)
            with self.assertRaisesRegex(mxc.InvalidInputError, f"argument 'x': array .*{text}|argument 'x': {text}"):
                self.kernel(array, self.q, self.s)

    def test_capsules_that_hold_no_tensor(self):
        from mxc import _dlpack

        class Gives:
            def __init__(self, capsule):
                self.capsule = capsule

            def __dlpack_device__(self):
                return 12, 90

            def __dlpack__(self, **asked):
                return self.capsule

        content = ctypes.create_string_buffer(8)
        used = _dlpack._new(ctypes.addressof(content), b"used_dltensor_versioned", None)
        for capsule, found in ((used, "named 'used_dltensor_versioned'"), (None, "NoneType")):
            with self.assertRaisesRegex(mxc.InvalidInputError, f"__dlpack__ of Gives: expected a capsule with a tensor, found .*{found}"):
                self.kernel(Gives(capsule), self.q, self.s)

    def test_dlpack_elsewhere_or_as_a_copy(self):
        for asked in ({"copy": True}, {"dl_device": (1, 0)}):
            with self.assertRaises(BufferError):
                self.x.__dlpack__(max_version=(1, 0), **asked)
        self.x.__dlpack__(max_version=(1, 0), dl_device=self.x.__dlpack_device__(), copy=False)

    def test_objects_may_go_in_any_order(self):
        engine = mxc.Engine("simulator:sm_90a", cache="")
        kernel, x, q, s = engine.load(QUANTIZE), self.x, self.q, self.s
        gone = weakref.ref(engine)
        del engine
        gc.collect()
        self.assertIsNone(gone())
        kernel(x, q, s)
        capsule = x.__dlpack__(max_version=(1, 0))
        del capsule, self.x, x
        gc.collect()
        self.assertQuantized()
        with self.assertRaises(BufferError):
            q.__dlpack__()

    def test_what_owns_something_is_not_copied(self):
        stream, launch = self.engine.stream(), self.kernel.prepare(self.x, self.q, self.s)
        for owner in (self.engine, self.kernel, self.x, stream, launch):
            for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, rf"mxc\.{type(owner).__name__} .* neither be copied nor pickled"):
                    duplicate(owner)

    def test_capsules_at_the_interpreters_exit(self):
        program = """if True:
            import atexit, builtins, gc, sys, threading, mxc
            x = mxc.Engine("simulator:sm_90a", cache="").empty("bf16", (4, 128))
            new = lambda: x.__dlpack__(max_version=(1, 0))
            capsule, builtins.kept, sys.kept, mxc._dlpack.kept = new(), new(), new(), new()
            atexit.register(print, new())
            gc.callbacks.append(lambda *_, capsule=new(): None)  # the last to go
            local = threading.local()
            local.capsule = new()
            cycle = [new()]
            cycle.append(cycle)
        """
        ended = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(ended.returncode, 0, ended.stdout)


class Compile(unittest.TestCase):
    def test_text_of_a_file_and_of_a_string(self):
        ptx = mxc.compile(QUANTIZE, targets="sm_90a", stage="ptx")
        self.assertIn(".target sm_90a", ptx)
        self.assertEqual(mxc.compile(QUANTIZE.read_text(), targets="sm_90a", stage="ptx", name=str(QUANTIZE)), ptx)
        kernel = mxc.Engine("simulator:sm_90a").load(ptx)
        self.assertEqual([argument.name for argument in kernel.arguments], ["x", "q", "s"])

    def test_several_tiles(self):
        text = mxc.compile(QUANTIZE, targets=["sm_90a"], stage="mlir", tile=['warps = 2, when = "M <= 2"', "warps = 4"])
        self.assertRegex(text, r"tiles = \[#mx.quantize_tile<variant = direct, warps = 2, .*when = .M <= 2.>, #mx.quantize_tile<variant = direct, warps = 4,")
        tiles = ('warps = 2, when = "M <= 2"', "warps = 4")
        self.assertEqual(mxc.compile(QUANTIZE, targets="sm_90a", stage="mlir", tile=(tile for tile in tiles)), text)
        with self.assertRaisesRegex(TypeError, "tile: expected a str, found int"):
            mxc.compile(QUANTIZE, tile=iter((5,)))

    def test_warnings_stand_where_the_caller_does(self):
        engine = mxc.Engine("simulator:sm_90a", cache="/dev/null/cache")  # where nothing can be kept
        with self.assertWarns(mxc.MxcWarning) as caught:
            engine.load(QUANTIZE)
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(mxc.MxcWarning, "/dev/null/cache"):
                engine.load(QUANTIZE, tile="warps = 4")

    def test_errors(self):
        with self.assertRaisesRegex(mxc.UsageError, "unknown target 'sm_1'"):
            mxc.compile("", targets="sm_1")
        with self.assertRaisesRegex(mxc.UsageError, "stage 'sass': expected mlir"):
            mxc.compile("", stage="sass")

    def test_a_tuning_bundle_that_is_none(self):
        with self.assertRaisesRegex(mxc.InvalidInputError, "/nonexistent.json"):
            mxc.import_tuning("/nonexistent.json", "/nonexistent.sqlite")

    def test_scalars(self):
        kernel = mxc.Engine("simulator:sm_100a").load(EXAMPLES / "matmul_bias_gelu.mlir")
        kinds = {argument.name: argument.kind for argument in kernel.arguments}
        self.assertEqual(kinds["alpha"], "scalar")
        one = mxc.Engine("simulator:sm_100a").empty("e4m3", (1, 1))
        with self.assertRaisesRegex(mxc.InvalidInputError, "argument 'sa' is missing"):
            kernel(a=one, b=one, alpha=0.5)


class Simulation(unittest.TestCase):
    """Options of Engine. Each runs in a process of its own: a fault takes the chip's context with it."""

    RACY = "{ .reg .b64 %q; .reg .b32 %who; ld.param.b64 %q, [NAME_param_1]; mov.b32 %who, %warpid; st.global.b8 [%q], %who; } ret;"

    def told(self, options, ptx=None, is_x_written=True):
        """What an engine with these options says of a quantize kernel; "": nothing."""
        script = (
            "import sys, mxc\n"
            f"engine = mxc.Engine('simulator:sm_90a', cache='', {options})\n"
            "kernel, x = engine.load(sys.stdin.buffer.read()), engine.empty('bf16', (64, 256))\n"
            f"{'x.upload(bytes(x.nbytes))' if is_x_written else ''}\n"
            "try:\n"
            "    q, s = kernel.apply(x)\n"
            "    q.download()\n"
            "except mxc.DeviceError as error:\n"
            "    print(error)\n"
        )
        content = QUANTIZE.read_text() if ptx is None else ptx
        run = subprocess.run([sys.executable, "-c", script], input=content, capture_output=True, text=True, check=True)
        self.assertEqual(run.stderr, "")
        return run.stdout

    def racy(self):
        """The kernel, whose warps all write the first code at the end: the last one wins."""
        kept, name = [], None
        for line in mxc.compile(QUANTIZE, "sm_90a", "ptx").splitlines():
            if line.startswith(".visible .entry "):
                name = line.split()[2].rstrip("(")
            kept.append(line.replace("ret;", self.RACY.replace("NAME", name)) if name else line)
        return "\n".join(kept)

    def test_checks(self):
        self.assertEqual(self.told("checks='off'", is_x_written=False), "")
        for options in ("", "checks='standard'"):
            self.assertIn("simulator: use of what nobody wrote", self.told(options, is_x_written=False))

    def test_schedules_and_sweeps(self):
        racy = self.racy()
        for options in ("", "schedule='lazy'", "sweep=False"):
            self.assertEqual(self.told(options, racy), "")
        for options in ("sweep=True", "sweep=5", "schedule='sweep:5'"):
            self.assertRegex(self.told(options, racy), "results that depend on the schedule: .*\n.*\n *found under --schedule=")
        self.assertEqual(self.told("sweep=2, checks='strict'"), "")

    def test_options_hold_for_the_chip(self):
        checks = "checks='off'); mxc.Engine('simulator:sm_90a'"  # the second engine says nothing
        self.assertEqual(self.told(checks, is_x_written=False), "")

    def test_what_is_refused(self):
        for error, text, call in (
            (mxc.UsageError, "checks 'some': expected off, standard or strict", lambda: mxc.Engine("simulator:sm_90a", checks="some")),
            (mxc.UsageError, "schedule 'x': expected eager, ", lambda: mxc.Engine("simulator:sm_90a", schedule="x")),
            (mxc.UsageError, "expected no other, found lazy", lambda: mxc.Engine("simulator:sm_90a", schedule="lazy", sweep=3)),
            (mxc.UsageError, "number up to 1000", lambda: mxc.Engine("simulator:sm_90a", sweep=1001)),
            (mxc.UsageError, "a simulator's, but the device is cuda:0", lambda: mxc.Engine("cuda:0", checks="strict")),
        ):
            with self.assertRaisesRegex(error, text):
                call()


class Apply(unittest.TestCase):
    def test_outputs_are_made_or_given(self):
        engine = mxc.Engine("simulator:sm_90a", cache="")
        kernel = engine.load(mxc.sources.quantize())
        x = engine.empty("bf16", (ROWS, COLUMNS)).upload(ONE * ROWS * COLUMNS)
        q, s = kernel.apply(x)
        self.assertEqual((q.type, q.shape, s.type, s.shape), ("e4m3", (ROWS, COLUMNS), "ue8m0", (1024,)))
        self.assertEqual(q.download(), CODE_OF_ONE * ROWS * COLUMNS)
        given = engine.empty("e4m3", (ROWS, COLUMNS)).upload(bytes(ROWS * COLUMNS))
        self.assertIs(kernel.apply(x=x, q=given)[0], given)
        self.assertEqual(given.download(), q.download())
        y = engine.load(mxc.sources.dequantize(values="f32")).apply(q, s, stream=engine.stream())
        self.assertEqual(y.download(), struct.pack("<f", 1) * ROWS * COLUMNS)
        with self.assertRaisesRegex(mxc.UsageError, r"takes 1 arguments \(x\), found 2"):
            kernel.apply(x, q)

    def test_blocks_of_128_and_scales_of_theirs(self):
        engine = mxc.Engine("simulator:sm_100a", cache="")
        q = engine.empty("e4m3", (2, 256)).upload(b"\x38" * 512)
        s = engine.empty("ue8m0", (1024,)).upload(bytes([127]) * 1024)
        lost = engine.empty("i64", (1,)).upload(struct.pack("<q", 5))
        r, t, _ = engine.load(mxc.sources.requantize(counts=True)).apply(q, s, inexact=lost)
        self.assertEqual(lost.tolist(), [5])
        self.assertEqual(t.tolist(), [[2.0**-8, 2.0**-8, 0, 0]] * 2)  # 256 is the largest power of two in e4m3
        self.assertEqual(r.download(), b"\x78" * 512)
        u = engine.load(mxc.sources.convert_scales(2, 8, to=("ue8m0", "dense"))).apply(t)
        self.assertEqual(u.download(), bytes([119]) * 16)

    def test_lists_of_numbers(self):
        engine = mxc.Engine("simulator:sm_90a", cache="")
        for type, format in (("f32", "f"), ("f16", "e"), ("i32", "i"), ("i64", "q"), ("u8", "B")):
            tensor = engine.empty(type, (2, 3)).upload(struct.pack(f"<6{format}", *range(6)))
            self.assertEqual(tensor.tolist(), [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(engine.empty("f32", ()).upload(bytes(4)).tolist(), 0)
        self.assertEqual(engine.empty("f32", (2, 0)).tolist(), [[], []])
        with self.assertRaisesRegex(mxc.UsageError, "of type 'bf16' as a list: expected f32, "):
            engine.empty("bf16", (2,)).tolist()

    def test_sources_that_are_none(self):
        for text, call in (
            ("values: expected bf16, f16, f32, found f64", lambda: mxc.sources.quantize("f64")),
            ("format: expected e4m3, e5m2, e2m3, e3m2, e2m1, found f8", lambda: mxc.sources.dequantize("f8")),
            ("axis: expected row, column, both, found z", lambda: mxc.sources.quantize(axis="z")),
            ("activation: expected relu, ", lambda: mxc.sources.matmul(activation="tanh")),
            ("determines the rounding", lambda: mxc.sources.quantize(rounding="even", compat="te")),
            ("scales: expected f32, ue8m0, found f16", lambda: mxc.sources.convert_scales(8, 4, ("f16", "dense"))),
            ("of f32: expected dense, mn_major, padded, found tcgen05", lambda: mxc.sources.convert_scales(8, 4, ("f32", "tcgen05"))),
        ):
            with self.assertRaisesRegex(mxc.UsageError, text):
                call()


class Package(unittest.TestCase):
    def test_nothing_else_is_imported(self):
        self.assertFalse({"torch", "numpy", "cupy"} & set(sys.modules))

    def test_torch_is_imported_at_its_first_use(self):
        with self.assertRaises(ModuleNotFoundError):  # this environment has none
            mxc.torch  # noqa: B018
        with self.assertRaises(AttributeError):
            mxc.nothing  # noqa: B018

    def test_version(self):
        from importlib.metadata import version

        self.assertEqual(mxc.__version__, version("mxc"))


unittest.main(verbosity=2)
