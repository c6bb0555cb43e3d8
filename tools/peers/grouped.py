"""Products of rows in groups, e4m3 with f32 scales, a 1x128 by b 128x128, beside DeepGEMM's, torch's in bf16, and one with a single b. Groups
begin at multiples of 128, as DeepGEMM wants them. Results are compared."""

import blockwise
import deepgemm
import race
from race import Peer


def _prepared(tensors, example, names):
    import mxc
    import torch

    source = (race.EXAMPLES / example).read_text().replace("align = 1 ", "align = 128 ")
    kernel = mxc.Engine("cuda:0").load(source, name=example)
    launch = kernel.prepare(*(tensors[name] for name in names), tensors["c"][0], pdl=tensors["pdl"])
    return lambda i: launch(torch.cuda.current_stream())


def _mxc(tensors):
    return _prepared(tensors, "grouped_matmul_blockwise.mlir", ("a", "sa", "b", "sb", "ends"))


def _dense(tensors):
    first = {**tensors, "b": tensors["b"][0], "sb": tensors["sb"][0]}
    return _prepared(first, "matmul_blockwise.mlir", ("a", "sa", "b", "sb"))


def _bf16(tensors):
    import torch

    transposed = tensors["b_bf16"].mT

    def launch(i):
        tensors["c"][0] = torch._grouped_mm(tensors["a_bf16"], transposed, offs=tensors["ends"], out_dtype=torch.bfloat16)

    return launch


def _deepgemm_arguments(tensors, i):
    groups, n, k = tensors["b"].shape
    given = (*(tensors[name] for name in ("a", "sa", "b", "sb")), tensors["c"][0], tensors["layout"])
    return given, (tensors["a"].shape[0], n, k, groups)


SINGLE = Peer("mxc, a single b", ["torch", "mxc"], _dense)  # another product
PEERS = [
    Peer("mxc, prepared", ["torch", "mxc"], _mxc),
    SINGLE,
    Peer("torch._grouped_mm bf16", ["torch"], _bf16),
    *deepgemm.peers(_deepgemm_arguments, is_grouped=True),
]


def _make_tensors(m, n, k, groups, pdl):
    """One set: such products are larger than L2. Groups of random sizes, multiples of 128. c: a list, as of several sets."""
    import mxc
    import torch

    torch.manual_seed(0)
    cuts = torch.sort(torch.randint(0, m // 128 + 1, (groups - 1,))).values
    ends = torch.cat([cuts, torch.tensor([m // 128])]) * 128
    sizes = torch.diff(ends, prepend=torch.zeros(1, dtype=ends.dtype))
    a = torch.randn(m, k, device="cuda").bfloat16()
    b = torch.randn(groups, n, k, device="cuda").bfloat16()
    q, s = mxc.torch.quantize(a, block="1x128")
    copies = [mxc.torch.quantize(matrix, block="128x128") for matrix in b]
    return {
        **{"a": q, "sa": s, "b": torch.stack([codes for codes, _ in copies]), "sb": torch.stack([scales for _, scales in copies])},
        **{"a_bf16": a, "b_bf16": b, "ends": ends.int().cuda(), "pdl": pdl},
        "layout": torch.repeat_interleave(torch.arange(groups), sizes).int().cuda(),
        "c": [torch.empty(m, n, dtype=torch.bfloat16, device="cuda")],
    }


def measure(sizes, arguments):
    m, n, k, groups = sizes
    tensors = _make_tensors(m, n, k, groups, arguments.pdl)
    blockwise.require_agreement([peer for peer in PEERS if peer is not SINGLE], tensors)
    rows, clocks = race.race_products(PEERS, 1, tensors, arguments.rounds, sizes[:3])
    title = f"product {m}x{n}x{k} of {groups} groups, e4m3 with f32 scales, 1x128 by 128x128, to bf16"
    return race.case(title, "TFLOP/s", 1, arguments.pdl, clocks), rows
