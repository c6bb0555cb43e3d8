#!/usr/bin/env python3
"""What only a GPU runs, called on a simulated chip: the scripts that time mxc.torch, with small shapes and one call where they take the
fastest of many. Tensors that they make on "cuda" lie in the host's memory, and streams, events and graphs are stand-ins."""
import contextlib
import io
import itertools
import sys
import types
import unittest
from unittest import mock

import mxc
import torch
from torch.overrides import TorchFunctionMode

CHIP = "sm_90a"


class OnHost(TorchFunctionMode):
    """device="cuda" is the host's memory."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = dict(options or {})
        if "cuda" in str(options.get("device", "")):
            options["device"] = "cpu"
        return function(*arguments, **options)


class Stream:
    cuda_stream = 0

    def wait_stream(self, other):
        pass

    def synchronize(self):
        pass


class Event:
    def __init__(self, enable_timing=False):
        pass

    def record(self):
        pass

    def elapsed_time(self, end):
        return 1.0


class Graph:
    def replay(self):
        pass


def context(_):
    return contextlib.nullcontext()


def prepare(kernel, *arguments):
    """On a simulator prepared launches are of tensors in its own memory."""
    return lambda stream=None: kernel(*arguments)


@contextlib.contextmanager
def gpu():
    """A simulated chip stands for the GPU."""
    names, engine = {"cuda:0": f"simulator:{CHIP}"}, mxc.Engine.__init__
    replaced = {
        "synchronize": lambda: None,
        "empty_cache": lambda: None,
        "current_stream": lambda *_: Stream(),
        "get_device_name": lambda *_: f"a simulated {CHIP}",
        "Stream": Stream,
        "Event": Event,
        "CUDAGraph": Graph,
        "stream": context,
        "graph": context,
    }
    profile = torch.profiler.profile
    with contextlib.ExitStack() as stack:
        for name, value in replaced.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, value))
        made = lambda self, device="cuda:0", **options: engine(self, names.get(device, device), **options)
        stack.enter_context(mock.patch.object(mxc.Engine, "__init__", made))
        stack.enter_context(mock.patch.object(mxc.Kernel, "prepare", prepare))
        stack.enter_context(mock.patch.object(torch, "compile", lambda call, **_: call))
        of_host = lambda activities: profile(activities=[torch.profiler.ProfilerActivity.CPU])
        stack.enter_context(mock.patch.object(torch.profiler, "profile", of_host))
        stack.enter_context(OnHost())
        mxc.torch.simulate(CHIP)
        yield


def printed(part, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        part(*arguments)
    return text.getvalue().splitlines()


class Scripts(unittest.TestCase):
    def test_what_a_call_costs_the_host(self):
        import torch_on_gpu

        def once(call, **_):
            call()
            return 1.0

        with gpu(), mock.patch.object(torch_on_gpu, "microseconds", once):
            lines = printed(torch_on_gpu.host, types.SimpleNamespace())
        self.assertEqual([line for line in lines if not line.endswith(": 1.0 us")], [])
        self.assertEqual(len(lines), 13)

    def test_a_first_launch(self):
        import torch_on_gpu

        with gpu(), mock.patch.object(sys, "argv", ["", "", "32", "64", "128"]):
            (line,) = printed(exec, torch_on_gpu.FIRST_LAUNCH, {})
        self.assertEqual(len(line.split()), 4)

    def test_the_layer_of_experts(self):
        import experts_on_gpu

        def one_turn(calls, **_):
            for call in calls.values():
                call()
            return dict.fromkeys(calls, 1.0)

        options = types.SimpleNamespace(shape="", recipe="mxfp8", rest=0, limit=0)
        shape = (24, 2, 4, 128, 128)
        with gpu(), mock.patch.multiple(experts_on_gpu, SHAPES={"small": shape}, DECODE=shape, medians=one_turn):
            parts = ("layers", "swiglu", "decode", "kernels")
            lines = list(itertools.chain.from_iterable(printed(experts_on_gpu.PARTS[part], options) for part in parts))
        self.assertLess(float(lines[0].partition("off from bf16's by ")[2]), 0.1)
        ours, theirs = (float(line.rpartition("sum ")[2]) for line in lines if line.startswith(("decode: ours: ", "decode: bf16: ")))
        self.assertLess(abs(ours / theirs - 1), 0.1)
        self.assertTrue(any("FC1 with SwiGLU and both copies" in line for line in lines))

    def test_the_others_can_be_imported(self):
        import on_gpu
        import training

        self.assertTrue(callable(on_gpu.reference) and callable(training.main))


if __name__ == "__main__":
    unittest.main(verbosity=1)
