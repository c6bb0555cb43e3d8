#!/usr/bin/env python3
"""Everything of the Python package that needs a GPU, in one run: what a call costs the host, first launches from an empty cache, the
checks of mxc.torch, a language model trained with FP8 linear layers beside bf16 ones (training.py), and mxc.jax. A part that
fails leaves the others running; the last line is the sum.

  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py                    all, some ten minutes
  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py --only training    host, first, checks, training or jax
  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py --only training --recipe blockwise
  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py --only checks --suites Distributed

Needs torch with CUDA and nothing else. transformers and JAX are tried where they are installed; DDP and FSDP2 over NCCL with two
processes where there are two GPUs."""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

import mxc
import torch
from mxc.torch import matmul, quantize, quantize_both

SUITES = ("Products", "Blockwise", "BlockwiseLayers", "SharedScales", "Conversions", "Gradients", "Derivatives", "Layers", "Memory", "Transformers", "Graphs", "Distributed")
here = pathlib.Path(__file__).resolve().parent
BF16 = torch.bfloat16


def checks(options):
    script, failed = here / "torch_checks.py", []
    for suite in options.suites:  # each in a process: a fault ruins its own alone
        try:
            ended = subprocess.run([sys.executable, script, suite], timeout=options.limit).returncode
        except subprocess.TimeoutExpired:
            ended = f"no end after {options.limit} s"
        if ended:
            failed.append(f"{suite}: {ended}")
    if failed:
        raise RuntimeError("; ".join(failed))


def microseconds(call, count=400, repeats=10):
    """Of the fastest of some batches, each with fewer launches than a stream's queue holds."""
    fastest = float("inf")
    for _ in range(repeats):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        fastest = min(fastest, time.perf_counter() - start)
    torch.cuda.synchronize()
    return fastest / count * 1e6


def host(options):
    """Of small operands, so that the GPU is never what is waited for."""
    from mxc.torch import kernels, products

    x = torch.randn(32, 64, device="cuda", dtype=BF16)
    q, s = quantize(x)
    c = matmul(q, s, q, s)
    kernel = products.kernel_of(q, s, q, s)
    prepared, stream = kernel.prepare(q, s, q, s, c), torch.cuda.current_stream().cuda_stream
    layer = mxc.torch.MXLinear(64, 64, device="cuda", dtype=BF16)
    plain = torch.nn.Linear(64, 64, device="cuda", dtype=BF16)

    def without_gradients(call):
        with torch.no_grad():
            return microseconds(call)

    for name, value in (
        ("prepared launch on a given stream", microseconds(lambda: prepared(stream))),
        ("prepared launch on torch's current stream", microseconds(prepared)),
        ("checked launch, mxc.Kernel", microseconds(lambda: kernel(q, s, q, s, c))),
        ("checked launch, mxc.torch", microseconds(lambda: kernels.launch(kernel, q, s, q, s, c))),
        ("operator matmul", microseconds(lambda: matmul(q, s, q, s))),
        ("operator matmul, out", microseconds(lambda: matmul(q, s, q, s, out=c))),
        ("operator quantize", microseconds(lambda: quantize(x))),
        ("operator quantize_both", microseconds(lambda: quantize_both(x))),
        ("torch.mm", microseconds(lambda: torch.mm(x, x.T))),
        ("MXLinear, no gradients", without_gradients(lambda: layer(x))),
        ("nn.Linear, no gradients", without_gradients(lambda: plain(x))),
        ("MXLinear, gradients", microseconds(lambda: layer(x))),
        ("nn.Linear, gradients", microseconds(lambda: plain(x))),
    ):
        print(f"host: {name}: {value:.1f} us", flush=True)


FIRST_LAUNCH = """
import sys, time, mxc, torch
cache, m, n, k = sys.argv[1], *map(int, sys.argv[2:])
codes = [torch.zeros(rows, k, dtype=torch.uint8, device="cuda") for rows in (m, n)]
scales = [torch.zeros(-(-rows // 128) * (k // 128) * 512, dtype=torch.uint8, device="cuda") for rows in (m, n)]
c = torch.empty(m, n, dtype=torch.bfloat16, device="cuda")
torch.cuda.synchronize()
times = [time.perf_counter()]
for _ in range(2):  # the second engine finds the entry in the cache
    kernel = mxc.Engine("cuda:0", cache=cache).load(mxc.sources.matmul())
    times.append(time.perf_counter())
    kernel(codes[0], scales[0], codes[1], scales[1], c)
    times.append(time.perf_counter())
    torch.cuda.synchronize()
print(*(f"{(end - start) * 1e3:.0f}" for start, end in zip(times, times[1:])))
"""


def first_launch(options):
    """From an empty cache, each in a process of its own."""
    for shape in ((4096, 4096, 4096), (16, 8192, 8192), (256, 7168, 2048)):
        for _ in range(2):
            with tempfile.TemporaryDirectory() as cache:
                command = [sys.executable, "-c", FIRST_LAUNCH, cache, *map(str, shape)]
                run = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=options.limit, check=True)
            loaded, launched, found, again = map(int, run.stdout.split())
            what = f"loaded in {loaded} ms, launched in {launched} ms more; from the cache {found} and {again} ms"
            print(f"first launch: {' x '.join(map(str, shape))}: {loaded + launched} ms: {what}", flush=True)


def training(options):
    script = [sys.executable, here / "training.py", "--recipe", options.recipe, "--output", options.output]
    script += [f"--{mode}" for mode in ("compile", "graph", "fused") if getattr(options, mode)]
    if subprocess.run(script, timeout=options.limit).returncode:
        raise RuntimeError("training.py failed")
    picture = str(pathlib.Path(options.output).with_suffix(".svg"))
    subprocess.run([sys.executable, here.parents[1] / "tools" / "dev" / "draw-training", options.output, "-o", picture], check=True)


def jax(options):
    if importlib.util.find_spec("jax") is None:
        print("jax: not installed")
        return
    if subprocess.run([sys.executable, here / "jax-on-gpu.py"], timeout=4 * options.limit).returncode:
        raise RuntimeError("jax-on-gpu.py failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"host": host, "first": first_launch, "checks": checks, "training": training, "jax": jax}
    parser.add_argument("--only", choices=parts)
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=SUITES, help="of the checks")
    parser.add_argument("--limit", type=int, default=240, help="seconds for each suite of checks, and for the training")
    parser.add_argument("--recipe", choices=("mxfp8", "blockwise"), default="mxfp8", help="of the training's linear layers")
    for mode in ("compile", "graph", "fused"):
        parser.add_argument(f"--{mode}", action="store_true", help="of the training: as training.py's")
    parser.add_argument("--output", default=os.path.join(os.environ.get("OUT", "."), "training.json"))
    options = parser.parse_args()
    print(f"mxc {mxc.version()}, torch {torch.__version__}, {torch.cuda.get_device_name()}", flush=True)
    passed, failed = 0, 0
    for name, part in parts.items():
        if options.only not in (None, name):
            continue
        print(f"== {name}", flush=True)
        try:
            part(options)
            passed += 1
        except Exception:
            traceback.print_exc()
            failed += 1
        sys.stderr.flush()
    print(f"{passed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
