"""Two bytes in, one out: a quantizer's traffic and nothing else."""

import triton
import triton.language as tl


@triton.jit
def stream(x, q, elements, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    is_there = at < elements
    value = tl.load(x + at, mask=is_there)
    tl.store(q + at, ((value >> 8) ^ value).to(tl.uint8), mask=is_there)
