#!/usr/bin/env python3
"""mxc.jax on a GPU: the checks, programs in which XLA's kernels and ours wait for each other, and times. The last line is the sum.

  pip install 'jax[cuda13]' mxc-*.whl && python3 tests/python/jax-on-gpu.py
"""
import pathlib
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

import mxc.jax

assert jax.default_backend() == "gpu", f"JAX has no GPU here: {jax.devices()}"
BF16 = jnp.bfloat16


def checks():
    script = pathlib.Path(__file__).resolve().parent / "jax_checks.py"
    return subprocess.run([sys.executable, script], timeout=1200).returncode == 0


def order():
    """XLA's kernels write what ours read and the reverse, in one program: a launch on another stream than XLA's reads too early."""

    @jax.jit
    def program(x, w):
        b, sb = mxc.jax.quantize(w)
        for _ in range(8):
            x = jnp.tanh(mxc.jax.matmul(*mxc.jax.quantize(x * 1.5), b, sb)) + x[::-1]
        return x

    @jax.jit
    def step(x, b, sb):  # the same, a program a kernel
        return jnp.tanh(mxc.jax.matmul(*mxc.jax.quantize(x * 1.5), b, sb)) + x[::-1]

    x = jax.random.normal(jax.random.key(0), (4096, 4096), BF16)
    w = jax.random.normal(jax.random.key(1), (4096, 4096), BF16) / 64
    b, sb = mxc.jax.quantize(w)
    expected = x
    for _ in range(8):
        expected = jax.block_until_ready(step(expected, b, sb))
    wrong = sum(int((program(x, w) != expected).sum()) for _ in range(20))
    print(f"order: {wrong} elements of 20 runs differ from step by step")
    return wrong == 0


def on_every_device():
    fine = True
    for device in jax.devices():
        x = jax.device_put(jax.random.normal(jax.random.key(2), (512, 1024), BF16), device)
        q, s = mxc.jax.quantize(x)
        y = mxc.jax.dequantize(q, s)
        near = float(jnp.abs(y - x).max()) < 0.5
        print(f"{device}: result on {y.devices()}, {'near' if near else 'far'}")
        fine &= near and y.devices() == {device}
    return fine


def microseconds(call, count):
    jax.block_until_ready(call())
    start = time.perf_counter()
    results = [call() for _ in range(count)]
    jax.block_until_ready(results[-1])
    return (time.perf_counter() - start) / count * 1e6


def times():
    for size in (64, 8192):
        x = jax.random.normal(jax.random.key(0), (size, size), BF16)
        q, s = mxc.jax.quantize(x)
        multiply, quantize = jax.jit(lambda q, s: mxc.jax.matmul(q, s, q, s)), jax.jit(lambda x: mxc.jax.quantize(x))
        plain = jax.jit(lambda x: x @ x.T)
        count = 1000 if size < 1000 else 50
        print(
            f"{size} x {size}, us a call: matmul {microseconds(lambda: multiply(q, s), count):.1f}, quantize "
            f"{microseconds(lambda: quantize(x), count):.1f}, bf16 x @ x.T {microseconds(lambda: plain(x), count):.1f}"
        )
    return True


results = {part.__name__: part() for part in (checks, order, on_every_device, times)}
failed = [name for name, passed in results.items() if not passed]
print(f"{len(results) - len(failed)} parts passed, failed: {', '.join(failed) or 'none'}")
sys.exit(bool(failed))
