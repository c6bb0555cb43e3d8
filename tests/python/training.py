#!/usr/bin/env python3
"""Trains a small language model whose linear layers are FP8 both ways (mxc.torch.convert), beside the same one in bf16.

Losses: several seeds of both kinds on the same text; those of FP8 must lie within the scatter of bf16's seeds. Times: steps of a
model of 104 M parameters and 16,384 tokens a step, or with --wide of 0.9 billion, both kinds in turns. Text and models are made
here: no network is needed.

  PYTHONPATH=SITE python3 tests/python/training.py                    both, on the GPU; some three minutes on an H200
  PYTHONPATH=SITE python3 tests/python/training.py --only losses      or times
  PYTHONPATH=SITE python3 tests/python/training.py --recipe blockwise by mxc.torch's recipe of that name, not MXFP8
  PYTHONPATH=SITE python3 tests/python/training.py --only times --wide where products are most of a step
  PYTHONPATH=SITE python3 tests/python/training.py --graph --fused     steps as CUDA graphs; sums and gelu in FP8's kernels
  PYTHONPATH=SITE python3 tests/python/training.py --simulate sm_90a  a few steps of a tiny model without a GPU: whether this works

Writes a JSON file, which tools/dev/draw-training draws, and exits with 1 if the losses differ."""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import time

import mxc.torch
import torch

BF16 = torch.bfloat16
NAMES = {"mxfp8": "MXFP8", "blockwise": "blockwise FP8"}  # of recipes


@dataclasses.dataclass
class Size:
    vocabulary: int
    width: int
    depth: int
    heads: int
    length: int  # tokens of a row
    rows: int  # of a step


LOSSES = Size(1024, 256, 4, 4, 256, 32)  # 4 M parameters, 8,192 tokens a step
TIMES = Size(8192, 768, 12, 12, 512, 32)  # 104 M, 16,384
WIDE = Size(8192, 4096, 4, 32, 512, 32)  # 0.9 G, 16,384
TINY = Size(64, 64, 1, 2, 32, 2)


class Block(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.is_fused = heads, False  # fused: sums and gelu are parts of mxc.torch's kernels
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(width) for _ in range(2))
        self.qkv, self.project = torch.nn.Linear(width, 3 * width, bias=False), torch.nn.Linear(width, width, bias=False)
        self.up, self.down = torch.nn.Linear(width, 4 * width, bias=False), torch.nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        mixed = mixed.transpose(1, 2).reshape(batch, length, width)
        if self.is_fused:
            x = self.project(mixed, x)
            return mxc.torch.mlp(self.norms[1](x), self.up, self.down, "gelu_tanh", x)
        x = x + self.project(mixed)
        return x + self.down(torch.nn.functional.gelu(self.up(self.norms[1](x)), approximate="tanh"))


class LanguageModel(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.tokens = torch.nn.Embedding(size.vocabulary, size.width)
        self.places = torch.nn.Embedding(size.length, size.width)
        self.blocks = torch.nn.Sequential(*(Block(size.width, size.heads) for _ in range(size.depth)))
        self.norm, self.head = torch.nn.RMSNorm(size.width), torch.nn.Linear(size.width, size.vocabulary, bias=False)
        for parameter in self.parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1], device=tokens.device))
        logits = self.head(self.norm(self.blocks(x)))
        return torch.nn.functional.cross_entropy(logits.float().view(-1, logits.shape[-1]), targets.reshape(-1))


def text(size, steps, place, seed=0):
    """Batches [steps, rows, length + 1] of a language with something to learn. A token is followed by one of four, the likelier the
    earlier in its list; a third of all runs of 32 tokens repeat the run before; one token in twenty is any."""
    generator = torch.Generator(place).manual_seed(seed)
    rows, end = steps * size.rows, size.length + 1

    def uniform(*shape):
        return torch.rand(*shape, device=place, generator=generator)

    following = torch.randint(0, size.vocabulary, (size.vocabulary, 4), device=place, generator=generator)
    choices = (uniform(rows, end, 1) > torch.tensor([0.5, 0.75, 0.9], device=place)).sum(-1)
    tokens = torch.randint(0, size.vocabulary, (rows, end), device=place, generator=generator)
    is_noise, repeats = uniform(rows, end) < 0.05, uniform(rows, end // 32 + 1) < 1 / 3
    for i in range(1, end):
        next_one = following[tokens[:, i - 1], choices[:, i]]
        if i >= 32:
            next_one = torch.where(repeats[:, i // 32], tokens[:, i - 32], next_one)
        tokens[:, i] = torch.where(is_noise[:, i], tokens[:, i], next_one)
    return tokens.view(steps, size.rows, end)


class Training:
    EAGER_STEPS = 3  # before the graph: what is made once is there then

    def __init__(self, kind, size, seed, options):
        torch.manual_seed(seed)
        self.place, self.is_graph = options.place, options.graph
        model = LanguageModel(size).to(self.place)
        if kind != "bf16":
            mxc.torch.convert(model, lambda name, layer: name != "head", recipe=kind)
            for block in model.blocks:
                block.is_fused = options.fused
        self.parameters = sum(parameter.numel() for parameter in model.parameters())
        self.model = torch.compile(model) if options.compile else model
        self.rate = torch.zeros((), device=self.place)
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=self.rate, betas=(0.9, 0.95), weight_decay=0.1, fused=True, capturable=self.is_graph
        )
        self.count, self.graph = 0, None
        if self.is_graph:
            self.stream, self.tokens = torch.cuda.Stream(), torch.zeros(size.rows, size.length + 1, dtype=torch.int64, device=self.place)

    def step(self, tokens):
        """Returns the loss as a tensor: nothing waits for the GPU."""
        self.count += 1
        self.rate.fill_(1e-3 * min(1, self.count / 50))
        if not self.is_graph:
            return self.pass_over(tokens)
        self.tokens.copy_(tokens)
        if self.count <= self.EAGER_STEPS:
            self.stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(self.stream):
                loss = self.pass_over(self.tokens)
            torch.cuda.current_stream().wait_stream(self.stream)
            return loss
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.loss = self.pass_over(self.tokens)
        self.graph.replay()
        return self.loss.clone()

    def pass_over(self, tokens):
        with torch.autocast(self.place, BF16):
            loss = self.model(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def average(values):
    return sum(values) / len(values)


def losses(options):
    """The mean of the last tenth of the steps is a run's loss."""
    size, runs = TINY if options.simulate else LOSSES, []
    batches = text(size, options.steps, options.place)
    for seed in range(options.seeds):
        for kind in options.kinds:
            start = time.perf_counter()
            training = Training(kind, size, seed, options)
            curve = torch.stack([training.step(batch) for batch in batches]).tolist()
            last = average(curve[-max(1, len(curve) // 10) :])
            runs.append({"kind": kind, "seed": seed, "loss": last, "curve": curve})
            took = time.perf_counter() - start
            print(f"losses: {kind}, seed {seed}: {curve[0]:.4f} -> {last:.4f}, {len(curve)} steps in {took:.1f} s", flush=True)
    ends = {kind: [run["loss"] for run in runs if run["kind"] == kind] for kind in options.kinds}
    difference, scatter = average(ends[options.recipe]) - average(ends["bf16"]), max(ends["bf16"]) - min(ends["bf16"])
    allowed = max(scatter, 0.001 * average(ends["bf16"]))  # layers whose weights stand still are off by four times that
    print(
        f"losses: {training.parameters / 1e6:.1f} M parameters, {batches[0, :, 1:].numel()} tokens a step: bf16 {average(ends['bf16']):.4f}, "
        f"{NAMES[options.recipe]} {average(ends[options.recipe]):.4f}; they differ by {difference:+.4f}, bf16's seeds by {scatter:.4f}",
        flush=True,
    )
    learned = all(run["loss"] < 0.7 * run["curve"][0] for run in runs) or options.simulate
    return {
        "parameters": training.parameters,
        "tokens": batches[0, :, 1:].numel(),
        "runs": runs,
        "difference": difference,
        "scatter": scatter,
        "isFine": bool(learned and abs(difference) <= allowed),
    }


def intervals(training, batches, count, place):
    """The milliseconds of each of `count` steps that follow each other: nobody waits for the GPU in between."""
    moments = []
    for i in range(count + 1):
        moments.append(moment(place))
        training.step(batches[i % len(batches)])
    if place != "cuda":
        return [(after - before) * 1e3 for before, after in zip(moments, moments[1:])]
    torch.cuda.synchronize()
    return [before.elapsed_time(after) for before, after in zip(moments, moments[1:])]


def moment(place):
    if place != "cuda":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def kernels(training, batch):
    """The milliseconds that the kernels of one step take."""
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        training.step(batch)
        torch.cuda.synchronize()
    return sum(event.self_device_time_total for event in profile.key_averages()) / 1e3


def times(options):
    """Both kinds in turns, twice, each with a warm-up; what is counted is the median of all steps of a kind."""
    size = TINY if options.simulate else WIDE if options.wide else TIMES
    batches, found = text(size, 4, options.place, seed=1), {kind: [] for kind in options.kinds}
    warm_up = min(10, options.timed_steps)
    trainings = {kind: Training(kind, size, 0, options) for kind in options.kinds}
    for _ in range(2):
        for kind, training in trainings.items():
            found[kind] += intervals(training, batches, warm_up + options.timed_steps // 2, options.place)[warm_up:]
    busy = {kind: kernels(training, batches[0]) for kind, training in trainings.items()} if options.place == "cuda" else {}
    median = {kind: statistics.median(values) for kind, values in found.items()}
    ratio, tokens = median[options.recipe] / median["bf16"], batches[0, :, 1:].numel()
    print(
        f"times: {trainings['bf16'].parameters / 1e6:.0f} M parameters, {tokens} tokens a step: "
        + ", ".join(f"{NAMES.get(kind, kind)} {median[kind]:.2f} ms{f' (kernels {busy[kind]:.2f})' if busy else ''}" for kind in options.kinds)
        + f" a step, {ratio:.3f} x",
        flush=True,
    )
    return {"parameters": trainings["bf16"].parameters, "tokens": tokens, "milliseconds": found, "kernels": busy, "median": median, "ratio": ratio}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("losses", "times"))
    parser.add_argument("--recipe", choices=NAMES, default="mxfp8", help="of the linear layers beside bf16's")
    parser.add_argument("--wide", action="store_true", help="times of a model 4,096 wide with 4 layers")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--timed-steps", type=int, default=30)
    parser.add_argument("--compile", action="store_true", help="under torch.compile")
    parser.add_argument("--graph", action="store_true", help="a step is a CUDA graph, from the fourth on")
    parser.add_argument("--fused", action="store_true", help="sums and gelu are parts of FP8's kernels (mxc.torch.mlp, and a layer's residual)")
    parser.add_argument("--simulate", metavar="CHIP", help="a tiny model on a simulated chip, tensors in the host's memory")
    parser.add_argument("--output", default=os.path.join(os.environ.get("OUT", "."), "training.json"))
    options = parser.parse_args()
    options.kinds = ("bf16", options.recipe)
    options.place = "cpu" if options.simulate else "cuda"
    if options.simulate:
        mxc.torch.simulate(options.simulate)
    device = f"simulated {options.simulate}" if options.simulate else torch.cuda.get_device_name()
    result = {"recipe": options.recipe, "device": device, "torch": torch.__version__, "mxc": mxc.version()}
    for name, part in (("losses", losses), ("times", times)):
        if options.only in (None, name):
            result[name] = part(options)
            pathlib.Path(options.output).write_text(json.dumps(result))
    is_fine = result.get("losses", {"isFine": True})["isFine"]
    print(f"training: {'fine' if is_fine else 'the losses are outside of the scatter of the seeds, or nothing was learned'}; {options.output}")
    return not is_fine


if __name__ == "__main__":
    sys.exit(main())
