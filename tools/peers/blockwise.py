"""Products of e4m3 with f32 scales, a 1x128 by b 128x128, beside cuBLASLt's, DeepGEMM's and bf16's. Results are compared."""

import deepgemm
import race
from race import Peer


def _mxc(tensors):
    import mxc
    import torch

    kernel = mxc.Engine("cuda:0").load(race.EXAMPLES / "matmul_blockwise.mlir")
    launches = [
        kernel.prepare(*arguments, pdl=tensors["pdl"])
        for arguments in zip(*(tensors[name] for name in ("a", "sa", "b", "sb", "c")))
    ]
    return lambda i: launches[i](torch.cuda.current_stream())


def _bf16(tensors):
    import torch

    transposed = [b.t() for b in tensors["b_bf16"]]
    return lambda i: torch.mm(tensors["a_bf16"][i], transposed[i], out=tensors["c"][i])


def _scaled_mm(tensors):
    import torch

    def launch(i):
        a, sa, b, sb = (tensors[name][i] for name in ("a", "sa", "b", "sb"))
        tensors["c"][i] = torch._scaled_mm(a, b.t(), sa.t(), sb.t(), out_dtype=torch.bfloat16)

    return launch


def _deepgemm_arguments(tensors, i):
    a, sa, b, sb, c = (tensors[name][i] for name in ("a", "sa", "b", "sb", "c"))
    return (a, sa, b, sb, c), (a.shape[0], b.shape[0], a.shape[1])


PEERS = [
    Peer("mxc, prepared", ["torch", "mxc"], _mxc),
    Peer("cuBLAS bf16", ["torch"], _bf16),
    Peer("torch._scaled_mm 1x128 by 128x128", ["torch"], _scaled_mm),
    *deepgemm.peers(_deepgemm_arguments),
]


def require_agreement(peers, tensors):
    """Whoever is there makes the same product of the first set, within the rounding of its bf16."""
    expected = None
    for peer in peers:
        if peer.available() is not None:
            continue
        tensors["c"][0].zero_()
        peer.make(tensors)(0)
        found = tensors["c"][0].float()
        expected = found if expected is None else expected
        bound = 0.05 if "bf16" in peer.name else 5e-3  # which multiplies the values before quantization
        distance = ((found - expected).norm() / expected.norm()).item()
        if not distance < bound:
            raise RuntimeError(f"{peer.name}: differs from mxc by {distance}")


def measure(sizes, arguments):
    import mxc
    import torch

    m, n, k = sizes
    count = race.sets_for((m + n) * k + 2 * m * n)
    tensors = {name: [] for name in ("a", "sa", "b", "sb", "a_bf16", "b_bf16", "c")}
    for seed in range(count):
        for name, rows, block in (("a", m, "1x128"), ("b", n, "128x128")):
            generator = torch.Generator(device="cuda").manual_seed(2 * seed + (name == "b"))
            x = torch.randn(rows, k, device="cuda", generator=generator).bfloat16()
            q, s = mxc.torch.quantize(x, block=block)
            tensors[name].append(q)
            tensors["s" + name].append(s)
            tensors[name + "_bf16"].append(x)
        tensors["c"].append(torch.empty(m, n, dtype=torch.bfloat16, device="cuda"))
    tensors["pdl"] = arguments.pdl
    require_agreement(PEERS, tensors)
    rows, clocks = race.race_products(PEERS, count, tensors, arguments.rounds, sizes)
    title = f"product {m}x{n}x{k}, e4m3 with f32 scales, 1x128 by 128x128, to bf16"
    return race.case(title, "TFLOP/s", count, arguments.pdl, clocks), rows
