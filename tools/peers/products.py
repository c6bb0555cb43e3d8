"""Products of MXFP8 operands, C = A B^T, and what cuBLAS makes of the same values in bf16."""

import race
from race import Peer


def _mxc(tensors):
    import mxc
    import torch

    kernel = mxc.Engine("cuda:0").load(race.EXAMPLES / "matmul.mlir")
    launches = [
        kernel.prepare(*arguments, pdl=tensors["pdl"])
        for arguments in zip(*(tensors[name] for name in ("a", "sa", "b", "sb", "c")))
    ]
    return lambda i: launches[i](torch.cuda.current_stream())


def _cublas(tensors):
    import torch

    transposed = [b.t() for b in tensors["b_bf16"]]
    return lambda i: torch.mm(tensors["a_bf16"][i], transposed[i], out=tensors["c"][i])


def _dequantize_cublas(tensors):
    import mxc
    import torch

    def launch(i):
        a = mxc.torch.dequantize(tensors["a"][i], tensors["sa"][i])
        b = mxc.torch.dequantize(tensors["b"][i], tensors["sb"][i])
        torch.mm(a, b.t(), out=tensors["c"][i])

    return launch


def _scaled_mm(tensors):
    import torch

    if torch.cuda.get_device_capability()[0] >= 10:  # block scales are the tensor cores' own
        scales = lambda i: (tensors["sa"][i], tensors["sb"][i])
    else:
        ones = [torch.ones(n, 1, device="cuda") for n in (tensors["a"][0].shape[0], tensors["b"][0].shape[0])]
        scales = lambda i: (ones[0], ones[1].t())
    return lambda i: torch._scaled_mm(
        tensors["a"][i], tensors["b"][i].t(), *scales(i), out_dtype=torch.bfloat16, use_fast_accum=False
    )


PEERS = [
    Peer("mxc, prepared", ["torch", "mxc"], _mxc),
    Peer("cuBLAS bf16, same values", ["torch"], _cublas),
    Peer("mxc dequantize both + cuBLAS bf16", ["torch", "mxc"], _dequantize_cublas),
    Peer("torch._scaled_mm", ["torch"], _scaled_mm, remark="block scales from sm_100 on; before, scales of rows, all one: other numbers"),
]


def measure(sizes, arguments):
    import mxc
    import torch

    m, n, k = sizes
    count = race.sets_for((m + n) * k + 2 * m * n)
    tensors = {name: [] for name in ("a", "sa", "b", "sb", "a_bf16", "b_bf16", "c")}
    for seed in range(count):
        for name, rows in (("a", m), ("b", n)):
            x = torch.randn(rows, k, device="cuda", generator=torch.Generator(device="cuda").manual_seed(2 * seed + (rows == n)))
            q, s = mxc.torch.quantize(x.bfloat16())
            tensors[name].append(q)
            tensors["s" + name].append(s)
            tensors[name + "_bf16"].append(mxc.torch.dequantize(q, s))
        tensors["c"].append(torch.empty(m, n, dtype=torch.bfloat16, device="cuda"))
    tensors["pdl"] = arguments.pdl
    rows, clocks = race.race_products(PEERS, count, tensors, arguments.rounds, sizes)
    return race.case(f"product {m}x{n}x{k}, e4m3 with scales to bf16", "TFLOP/s", count, arguments.pdl, clocks), rows
