#!/usr/bin/env python3
"""mxc.torch's layer of experts on a GPU: checks against f64, and times beside a bf16 layer of torch._grouped_mm under torch.compile.

  PYTHONPATH=SITE python3 tests/python/experts_on_gpu.py                     all, some ten minutes
  PYTHONPATH=SITE python3 tests/python/experts_on_gpu.py --only layers       checks, layers, swiglu, decode or kernels
  PYTHONPATH=SITE python3 tests/python/experts_on_gpu.py --recipe blockwise   our layer in blocks of 128

Each time is the median of launches in turns. The router's sort is in none of them; `with the sort` says what ours costs. Our weights'
copies are made in every forward + backward, and counted. --only swiglu is the first product with SwiGLU and both quantized copies beside
the same to bf16 (moe.md's bar: 1.05), in one launch where mxc.torch takes one, which on sm_90a it does not; --only kernels lists what a step's kernels take."""
import argparse
import pathlib
import subprocess
import sys
import time

import mxc
import torch
from mxc.torch import MoE, expert_rows, quantize_groups, weight_copies
from mxc.torch.experts import grouped_matmul, grouped_swiglu

here = pathlib.Path(__file__).resolve().parent
BF16 = torch.bfloat16
SHAPES = {  # tokens, choices, experts, features, hidden
    "deepseek rank": (8192, 8, 32, 7168, 2048),
    "qwen3-30b": (16384, 8, 128, 2048, 768),
    "mixtral": (8192, 2, 8, 4096, 14336),
}
DECODE = (64, 8, 128, 2048, 768)


def checks(options):
    subprocess.run([sys.executable, here / "torch_experts.py"], check=True, timeout=options.limit)


def medians(calls, repeats=11, rest=0.0):
    """Milliseconds of each, in turns."""
    times = {name: [] for name in calls}
    for call in calls.values():
        call(), call()
    for _ in range(repeats):
        for name, call in calls.items():
            time.sleep(rest)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end))
    return {name: sorted(own)[len(own) // 2] for name, own in times.items()}


class Plain(torch.nn.Module):
    """The same layer in bf16, as /peers of moe.md's Bars has it."""

    def __init__(self, layer):
        super().__init__()
        self.w13, self.w2 = (torch.nn.Parameter(weight.detach().clone()) for weight in (layer.w13, layer.w2))

    def forward(self, x, index, inverse, ends, weights):
        hidden = self.w2.shape[2]
        z = torch._grouped_mm(x[index], self.w13.transpose(1, 2), offs=ends)
        h = torch.nn.functional.silu(z[:, :hidden]) * z[:, hidden:] * weights[:, None]
        y = torch._grouped_mm(h.to(BF16), self.w2.transpose(1, 2), offs=ends)
        return y[inverse].view(x.shape[0], -1, x.shape[1]).sum(1)


def made(recipe, tokens, count, experts, features, hidden):
    torch.manual_seed(0)
    layer = MoE(experts, features, hidden, device="cuda", dtype=BF16, recipe=recipe)
    plain = torch.compile(Plain(layer))
    x = torch.randn(tokens, features, device="cuda", dtype=BF16, requires_grad=True)
    weights, indices = torch.randn(tokens, experts, device="cuda").softmax(-1).topk(count)
    order = indices.flatten().argsort(stable=True)
    ends = torch.bincount(indices.flatten(), minlength=experts).cumsum(0).int()
    given = (order // count, order.argsort(), ends, weights.flatten()[order].to(BF16))
    return layer, plain, x, indices, weights.requires_grad_(), given


def relative(found, expected):
    return ((found.float() - expected.float()).norm() / expected.float().norm()).item()


def layers(options):
    for name, shape in SHAPES.items():
        if options.shape not in name:
            continue
        layer, plain, x, indices, weights, given = made(options.recipe, *shape)
        tokens, count, experts, features, hidden = shape
        dy = torch.randn_like(x)

        def forward(call, *arguments):
            with torch.no_grad():
                return call(*arguments)

        def both(call, *arguments):
            for tensor in (x, weights, *layer.parameters(), *plain.parameters()):
                tensor.grad = None
            call(*arguments).backward(dy)

        with torch.no_grad():
            compact = expert_rows(indices, experts, 1)
            print(f"{name}: y off from bf16's by {relative(layer(x, indices, weights), plain(x, *given)):.4f}", flush=True)
        padded = expert_rows(indices, experts)
        times = medians(
            {
                "bf16 forward": lambda: forward(plain, x, *given),
                "forward": lambda: forward(layer, x, indices, weights, compact),
                "forward with the sort": lambda: forward(layer, x, indices, weights),
                "bf16 forward + backward": lambda: both(plain, x, *given),
                "forward + backward": lambda: both(layer, x, indices, weights, padded),
                "forward + backward with the sort": lambda: both(layer, x, indices, weights),
                "weights' copies": lambda: [weight_copies(w.detach(), recipe=options.recipe) for w in (layer.w13, layer.w2)],
            },
            rest=options.rest,
        )
        flops = 6.0 * tokens * count * features * hidden
        for what, milliseconds in times.items():
            amount = 0 if "copies" == what[-6:] else 3 * flops if "backward" in what else flops
            print(f"{name}: {what}: {milliseconds:.3f} ms" + (f", {amount / milliseconds / 1e9:.0f} TFLOP/s" if amount else ""), flush=True)
        for what in ("forward", "forward + backward"):
            print(f"{name}: {what}: {times['bf16 ' + what] / times[what]:.2f} x as fast as bf16", flush=True)
        del layer, plain, x, given
        torch.cuda.empty_cache()


def swiglu(options):
    """The first product of a step: to bf16, with SwiGLU quantized along rows and columns, and in two launches."""
    for name, (tokens, count, experts, features, hidden) in SHAPES.items():
        if options.shape not in name:
            continue
        torch.manual_seed(0)
        weight = torch.randn(experts, 2 * hidden, features, device="cuda", dtype=BF16) * features**-0.5
        w13, s13, _, _ = weight_copies(weight, columns=False)
        indices = torch.randn(tokens, experts, device="cuda").topk(count).indices
        ends, index, _ = expert_rows(indices, experts)
        x = torch.randn(tokens, features, device="cuda", dtype=BF16)
        given = (*quantize_groups(x, ends, index, axis="row"), w13, s13, ends)

        def apart():
            return quantize_groups(grouped_matmul(*given), ends, is_swiglu=True)

        own = [slice(end - end % 128, end) for end in ends.tolist()[:8]]  # rows of tokens
        for ours, theirs in zip(grouped_swiglu(*given)[1:], apart()):
            if ours.dtype == torch.float8_e4m3fn:
                rows = (lambda q: q.float()) if ours.shape[0] == index.shape[0] else (lambda q: q.float().mT)
                equal = torch.cat([(rows(ours)[r] == rows(theirs)[r]).flatten() for r in own]).float().mean().item()
                print(f"{name}: {equal:.4f} of h's codes are those of h made of bf16", flush=True)
        times = medians(
            {
                "to bf16": lambda: grouped_matmul(*given),
                "with SwiGLU and both copies": lambda: grouped_swiglu(*given, keeps=False),
                "with SwiGLU and both copies, gate and up kept": lambda: grouped_swiglu(*given),
                "to bf16, then SwiGLU and both copies": apart,
            },
            rest=options.rest,
        )
        flops = 4.0 * tokens * count * features * hidden
        for what, milliseconds in times.items():
            ratio = milliseconds / times["to bf16"]
            print(f"{name}: FC1 {what}: {milliseconds:.3f} ms, {flops / milliseconds / 1e9:.0f} TFLOP/s, {ratio:.3f}", flush=True)
        del weight, w13, s13, x, given
        torch.cuda.empty_cache()


def decode(options):
    """One graph, as a server replays it: bound by the weights' bytes."""
    layer, plain, x, indices, weights, given = made(options.recipe, *DECODE)
    with torch.no_grad():
        places = expert_rows(indices, DECODE[2], 1)
        calls = {
            "bf16": lambda: plain(x, *given),
            "ours": lambda: layer(x, indices, weights, places),
            "ours with the sort": lambda: layer(x, indices, weights),
        }
        replays = {}
        for name, call in calls.items():
            stream = torch.cuda.Stream()
            with torch.cuda.stream(stream):
                call(), call()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = call()
            graph.replay()
            torch.cuda.synchronize()
            print(f"decode: {name}: sum {y.float().abs().sum().item():.1f}", flush=True)
            replays[name] = graph.replay
        for name, milliseconds in medians(replays, repeats=101).items():
            print(f"decode of {DECODE[0]} tokens: {name}: {milliseconds:.3f} ms", flush=True)


def kernels(options):
    """What a step's kernels take, in the order of their sums."""
    for name, shape in SHAPES.items():
        if options.shape not in name:
            continue
        layer, plain, x, indices, weights, _ = made(options.recipe, *shape)
        padded, dy = expert_rows(indices, shape[2]), torch.randn_like(x)
        for _ in range(2):
            layer(x, indices, weights, padded).backward(dy)
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            layer(x, indices, weights, padded).backward(dy)
            torch.cuda.synchronize()
        print(f"{name}\n{profile.key_averages().table(sort_by='cuda_time_total', row_limit=30, max_name_column_width=60)}", flush=True)
        del layer, plain, x
        torch.cuda.empty_cache()


PARTS = {"checks": checks, "layers": layers, "swiglu": swiglu, "decode": decode, "kernels": kernels}
if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--shape", default="", help="a part of a shape's name")
    parser.add_argument("--recipe", default="mxfp8", help="of our layer: mxfp8 or blockwise")
    parser.add_argument("--rest", type=float, default=0.03, help="seconds between two launches")
    parser.add_argument("--limit", type=float, default=900, help="seconds for the checks")
    options = parser.parse_args()
    print(f"torch {torch.__version__} on {torch.cuda.get_device_name()}", flush=True)
    failed = []
    for part in options.only or PARTS:
        try:
            PARTS[part](options)
        except Exception as error:
            print(f"{part}: {error!r}", flush=True)
            failed.append(part)
    print("failed: " + ", ".join(failed) if failed else "OK")
    sys.exit(bool(failed))
