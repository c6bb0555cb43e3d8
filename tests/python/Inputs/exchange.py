#!/usr/bin/env python3
"""Launches on tensors that tell C what they are (DLPackExchangeAPI), on the simulator: libmxc reads them without Python's code,
and the package's own way takes what it does not understand. Needs nothing but the package."""
import ctypes
import struct
import unittest

import mxc
from mxc import _dlpack, _engine, _launch

ONE = struct.pack("<H", 0x3F80)  # bf16
CODES = {"bf16": (4, 16), "f32": (2, 32), "e4m3": (10, 8), "ue8m0": (14, 8), "u8": (1, 8)}
_FROM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_dlpack._Tensor))
_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("unused", ctypes.c_void_p * 3),
        ("from_object", _FROM),
        ("stream", _STREAM),
    ]


class Shown:
    """A tensor of mxc's that has C's interface, as a class of its own for each test; `asked` counts calls."""

    def __init__(self, tensor, strides=None):
        self.tensor, self.rank, self.type = tensor, len(tensor.shape), (*CODES[tensor.type], 1)
        self.sizes = (ctypes.c_int64 * self.rank)(*tensor.shape)
        contiguous = [1] * self.rank
        for i in range(self.rank - 1, 0, -1):
            contiguous[i - 1] = contiguous[i] * tensor.shape[i]
        self.steps = (ctypes.c_int64 * self.rank)(*(strides or contiguous))

    def __dlpack__(self, **asked):
        return self.tensor.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def shown_class(major=1, fails=False, device=(12, 90)):
    class Class(Shown):
        asked, streams = 0, 0

    def from_object(value, place):
        Class.asked += 1
        if fails:
            return -1
        tensor = place.contents
        tensor.data, (tensor.device_type, tensor.device_id) = value.tensor.address, device
        tensor.ndim, (tensor.code, tensor.bits, tensor.lanes) = value.rank, value.type
        tensor.shape, tensor.strides, tensor.byte_offset = value.sizes, value.steps, 0
        return 0

    def stream(type, number, place):
        Class.streams += 1
        place[0] = None
        return 0

    Class.api = _Api(major, 3, from_object=_FROM(from_object), stream=_STREAM(stream))
    Class.name = ctypes.c_char_p(b"dlpack_exchange_api")
    Class.__dlpack_c_exchange_api__ = _dlpack._new(ctypes.addressof(Class.api), Class.name, None)
    return Class


class Exchange(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = mxc.Engine("simulator:sm_90a")
        cls.kernel = cls.engine.load(mxc.sources.quantize("bf16"))

    def tensors(self, kind, columns=64, type="bf16"):
        x = self.engine.empty(type, (32, columns)).upload((ONE if type == "bf16" else ONE * 2) * (32 * columns))
        q = self.engine.empty("e4m3", (32, columns)).upload(bytes(32 * columns))
        s = self.engine.empty("u8", (512,)).upload(bytes(512))
        return [kind(tensor) for tensor in (x, q, s)]

    def assert_quantized(self, tensors):
        self.assertEqual(tensors[1].tensor.download(), b"\x78" * len(tensors[1].tensor.download()))

    def test_a_launch_reads_through_the_interface(self):
        kind = shown_class()
        self.assertTrue(_launch.add_tensor_type(kind))
        for call in (lambda x, q, s: self.kernel(x, q, s), lambda x, q, s: self.kernel(s=s, x=x, q=q, pdl=True)):
            for _ in range(2):  # a repeated launch, on other tensors
                kind.asked = kind.streams = 0
                tensors = self.tensors(kind)
                call(*tensors)
                self.assertEqual((kind.asked, kind.streams), (3, 1))
                self.assert_quantized(tensors)

    def test_pairs_of_four_bits_are_bytes(self):
        kind = shown_class()
        _launch.add_tensor_type(kind)
        x, q, s = self.tensors(kind)
        q.type = (17, 4, 2)  # torch.float4_e2m1fn_x2
        with self.assertRaisesRegex(mxc.InvalidInputError, "argument 'q': type: expected e4m3, found e2m1"):
            self.kernel(x, q, s)
        codes = kind(self.engine.empty("u8", (32, 32)).upload(bytes(32 * 32)))
        codes.type = q.type
        self.engine.load(mxc.sources.quantize("bf16", "e2m1"))(x, codes, s)
        self.assertEqual(codes.tensor.download(), b"\x66" * 1024)  # 1 is 4 under a scale of 2^-2

    def test_a_given_stream_is_taken(self):
        kind, stream = shown_class(), self.engine.stream()
        _launch.add_tensor_type(kind)
        for given in (stream, stream.handle, 0):
            tensors = self.tensors(kind)
            self.kernel(*tensors, stream=given)
            stream.synchronize()
            self.assert_quantized(tensors)
        self.assertEqual((kind.asked, kind.streams), (9, 0))

    def test_a_prepared_launch_asks_for_the_stream_alone(self):
        kind, stream = shown_class(), self.engine.stream()
        _launch.add_tensor_type(kind)
        tensors = self.tensors(kind)
        prepared = self.kernel.prepare(*tensors)
        kind.asked = kind.streams = 0
        ours, _engine.stream_of = _engine.stream_of, None  # Python's own way
        try:
            prepared()
            self.assertEqual((kind.asked, kind.streams), (1, 1))
            for given in (stream, stream.handle, 0):
                prepared(given)
            self.assertEqual((kind.asked, kind.streams), (1, 1))
        finally:
            _engine.stream_of = ours
        stream.synchronize()
        self.assert_quantized(tensors)
        with self.assertRaisesRegex(mxc.UsageError, "stream: expected a number or a stream"):
            prepared("a")
        with self.assertRaisesRegex(mxc.InvalidInputError, "stream: expected 0 to"):
            prepared(-1)

    def test_a_prepared_launch_of_other_tensors_goes_pythons_way(self):
        for kind in (shown_class(fails=True), shown_class()):
            tensors = self.tensors(kind)
            self.kernel.prepare(*tensors)()
            self.assert_quantized(tensors)

    def test_errors_are_the_same_as_ever(self):
        kind = shown_class()
        _launch.add_tensor_type(kind)
        x, q, s = self.tensors(kind)
        other = self.tensors(kind, columns=96)[1]
        for values in ((x, other, s), (x, q, q), (x, x, s)):
            with self.assertRaises(mxc.InvalidInputError) as ours:
                self.kernel(*values)
            with self.assertRaises(mxc.InvalidInputError) as theirs:
                self.kernel(*(value.tensor for value in values))
            self.assertEqual(str(ours.exception), str(theirs.exception))
        with self.assertRaisesRegex(mxc.InvalidInputError, "'s' is missing"):
            self.kernel(x, q)
        with self.assertRaisesRegex(mxc.UsageError, "takes 3 arguments"):
            self.kernel(x, q, s, s)
        with self.assertRaisesRegex(mxc.UsageError, "given twice"):
            self.kernel(x, q, s, q=q)
        self.assertGreater(kind.asked, 0)

    def test_what_is_not_understood_goes_pythons_way(self):
        for kind in (shown_class(fails=True), shown_class(device=(2, 0))):
            self.assertTrue(_launch.add_tensor_type(kind))
            tensors = self.tensors(kind)
            self.kernel(*tensors)  # by DLPack's capsules
            self.assert_quantized(tensors)
            self.assertGreater(kind.asked, 0)

        class Derived(shown_class()):
            pass

        self.assertTrue(_launch.add_tensor_type(Derived.__base__))
        tensors = self.tensors(Derived)  # what it is nobody knows
        self.kernel(*tensors)
        self.assert_quantized(tensors)
        self.assertEqual(Derived.asked, 0)

    def test_versions(self):
        newer = shown_class(major=2)
        self.assertFalse(_launch.add_tensor_type(newer))
        newer.api.previous = ctypes.addressof(shown_class().api)
        self.assertTrue(_launch.add_tensor_type(newer))
        self.assertFalse(_launch.add_tensor_type(object))

    def test_numbers_are_no_tensors(self):
        kind = shown_class()
        _launch.add_tensor_type(kind)
        for value in (1 << 70, 1.5, 3):
            with self.assertRaises((mxc.Error, OverflowError)):
                self.kernel(value, *self.tensors(kind)[1:])


unittest.main()
