#!/usr/bin/env python3
"""Everything of mxc.torch that needs a GPU, in one run: the checks, what a call costs the host, and a language model trained
with MXFP8 linear layers beside bf16 ones. A part that fails leaves the others running; the last line is the sum.

  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py                    all, some minutes
  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py --steps 2000       a longer training
  PYTHONPATH=SITE python3 tests/python/torch_on_gpu.py --only training    checks, host, transformers or training

Needs torch with CUDA and nothing else; transformers is tried where it is installed."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import traceback

import mxc
import torch
from mxc.torch import convert, matmul, quantize, quantize_both

here = pathlib.Path(__file__).resolve().parent
BF16 = torch.bfloat16


def checks(options):
    script, failed = here / "torch_checks.py", []
    for suite in ("Products", "Gradients", "Layers", "Graphs", "Distributed"):  # each in a process: a fault ruins its own alone
        try:
            ended = subprocess.run([sys.executable, script, suite], timeout=options.limit).returncode
        except subprocess.TimeoutExpired:
            ended = f"no end after {options.limit} s"
        if ended:
            failed.append(f"{suite}: {ended}")
    if failed:
        raise RuntimeError("; ".join(failed))


def microseconds(call, count=2000):
    for _ in range(100):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    elapsed = time.perf_counter() - start
    torch.cuda.synchronize()
    return elapsed / count * 1e6


def host(options):
    """Of small operands, so that the GPU is never what is waited for."""
    from mxc.torch import kernels, products

    x = torch.randn(32, 64, device="cuda", dtype=BF16)
    q, s = quantize(x)
    c = matmul(q, s, q, s)
    kernel = products._product("cuda:0", 2, q.dtype, q.dtype, None, None, "", BF16, "any", False)
    prepared, stream = kernel.prepare(q, s, q, s, c), torch.cuda.current_stream().cuda_stream
    layer = mxc.torch.MXLinear(64, 64, device="cuda", dtype=BF16)
    plain = torch.nn.Linear(64, 64, device="cuda", dtype=BF16)

    def without_gradients(call):
        with torch.no_grad():
            return microseconds(call)

    for name, value in (
        ("prepared launch", microseconds(lambda: prepared(stream))),
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


def transformers_model(options):
    """A model of transformers with random weights, trained for a step and then with MXFP8 weights alone."""
    try:
        from transformers import LlamaConfig, LlamaForCausalLM
    except ImportError:
        print("transformers: not installed")
        return
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1024, hidden_size=512, intermediate_size=1408, num_hidden_layers=4, num_attention_heads=8
    )
    model = LlamaForCausalLM(config).to("cuda", BF16)
    tokens = torch.randint(0, 1024, (4, 256), device="cuda")
    exact = model(tokens, labels=tokens)
    names = convert(model, lambda name, layer: name != "lm_head")
    found = model(tokens, labels=tokens)
    found.loss.backward()
    print(f"transformers: {len(names)} layers, loss {exact.loss.item():.4f} bf16, {found.loss.item():.4f} MXFP8")
    plain = LlamaForCausalLM(config).to("cuda", BF16)
    plain.load_state_dict(model.state_dict())
    convert(plain, lambda name, layer: name != "lm_head", inference=True)
    with torch.no_grad():
        alone = plain(tokens, labels=tokens)
    print(f"transformers: {alone.loss.item():.4f} with MXFP8 weights alone")
    assert abs(alone.loss.item() - found.loss.item()) < 1e-2 * abs(found.loss.item())


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(width) for _ in range(2))
        self.qkv, self.project = torch.nn.Linear(width, 3 * width, bias=False), torch.nn.Linear(width, width, bias=False)
        self.up, self.down = torch.nn.Linear(width, 4 * width, bias=False), torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.project(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norms[1](x))))


class LanguageModel(torch.nn.Module):
    def __init__(self, vocabulary, width, depth, heads, length):
        super().__init__()
        self.tokens, self.places = torch.nn.Embedding(vocabulary, width), torch.nn.Embedding(length, width)
        self.blocks = torch.nn.Sequential(*(Block(width, heads) for _ in range(depth)))
        self.norm, self.head = torch.nn.RMSNorm(width), torch.nn.Linear(width, vocabulary, bias=False)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.head(self.norm(self.blocks(x)))
        return torch.nn.functional.cross_entropy(logits.float().view(-1, logits.shape[-1]), targets.reshape(-1))


class Language:
    """Text with something to learn, made here: each token follows from the two before it by a table, or is random."""

    def __init__(self, vocabulary, seed=0):
        generator = torch.Generator("cuda").manual_seed(seed)
        self.vocabulary = vocabulary
        self.table = torch.randint(0, vocabulary, (512, 8), device="cuda", generator=generator)

    def batch(self, rows, length, seed):
        generator = torch.Generator("cuda").manual_seed(seed)
        choices = torch.randint(0, 8, (rows, length + 1), device="cuda", generator=generator)
        noise = torch.randint(0, self.vocabulary, (rows, length + 1), device="cuda", generator=generator)
        is_noise = torch.rand(rows, length + 1, device="cuda", generator=generator) < 0.1
        tokens = noise.clone()
        for i in range(2, length + 1):
            state = (tokens[:, i - 1] * 31 + tokens[:, i - 2]) % 512
            tokens[:, i] = torch.where(is_noise[:, i], noise[:, i], self.table[state, choices[:, i]])
        return tokens[:, :-1], tokens[:, 1:]


def run(kind, seed, options, batches):
    torch.manual_seed(seed)
    size = (4096, 256, 4, 4, 512) if options.small else (8192, 768, 12, 12, 512)
    model = LanguageModel(*size).cuda()
    if kind == "mxfp8":
        convert(model, lambda name, layer: name != "head")
    parameters = sum(parameter.numel() for parameter in model.parameters())
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1, fused=True)
    call = torch.compile(model) if options.compile else model
    losses, times = [], []
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = 6e-4 * min(1, (step + 1) / 100)
        tokens, targets = batches[step % len(batches)]
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.autocast("cuda", BF16):
            loss = call(tokens, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
        losses.append(loss.item())
    last = sum(losses[-20:]) / len(losses[-20:])
    middle = sorted(times[len(times) // 4 :])[len(times) * 3 // 8]
    print(
        f"training: {kind}, seed {seed}: {parameters / 1e6:.0f} M parameters, {tokens.numel()} tokens a step, {options.steps} steps, "
        f"loss {losses[0]:.3f} -> {last:.4f}, {middle * 1e3:.1f} ms a step",
        flush=True,
    )
    return {"kind": kind, "seed": seed, "loss": last, "milliseconds": middle * 1e3, "losses": losses}


def training(options):
    language = Language(4096 if options.small else 8192)
    batches = [language.batch(32, 512, seed) for seed in range(min(options.steps, 256))]
    runs = []
    for seed in range(options.seeds):
        for kind in ("bf16", "mxfp8"):
            runs.append(run(kind, seed, options, batches))
            pathlib.Path(options.output).write_text(json.dumps(runs))
    loss = {kind: [r["loss"] for r in runs if r["kind"] == kind] for kind in ("bf16", "mxfp8")}
    step = {kind: min(r["milliseconds"] for r in runs if r["kind"] == kind) for kind in loss}
    mean = {kind: sum(values) / len(values) for kind, values in loss.items()}
    scatter = max(loss["bf16"]) - min(loss["bf16"])
    print(
        f"training: loss {mean['bf16']:.4f} bf16 (scatter of {options.seeds} seeds {scatter:.4f}), {mean['mxfp8']:.4f} MXFP8; "
        f"a step {step['mxfp8'] / step['bf16']:.3f} x bf16's; curves in {options.output}"
    )
    assert abs(mean["mxfp8"] - mean["bf16"]) <= max(scatter, 0.01 * mean["bf16"]), "the loss is outside of the seeds' scatter"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"checks": checks, "host": host, "transformers": transformers_model, "training": training}
    parser.add_argument("--only", choices=parts)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--limit", type=int, default=240, help="seconds for each suite of checks")
    parser.add_argument("--small", action="store_true", help="a model of 6 M parameters")
    parser.add_argument("--compile", action="store_true", help="training under torch.compile")
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
