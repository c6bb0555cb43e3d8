"""bf16 to MXFP8 along rows. Each as its authors call it; outputs that a call allocates are part of it."""

import race
from race import Peer


def _mxc(tensors):
    import mxc
    import torch

    kernel = mxc.Engine("cuda:0").load(race.EXAMPLES / "quantize.mlir")
    sets = zip(tensors["x"], tensors["q"], tensors["s"])
    launches = [kernel.prepare(x, q, s, pdl=tensors["pdl"]) for x, q, s in sets]
    return lambda i: launches[i](torch.cuda.current_stream())


def _operator(tensors):
    import mxc

    return lambda i: mxc.torch.quantize(tensors["x"][i])


def _megatron(tensors):
    from megatron.core.inference.quantization.mxfp8_quantize import mxfp8_quantize

    return lambda i: mxfp8_quantize(tensors["x"][i])


def _torchao(tensors):
    from torchao.prototype.mx_formats.kernels import triton_to_mxfp8_dim0

    return lambda i: triton_to_mxfp8_dim0(tensors["x"][i], 32, "rceil")


def _torchao_cuda(tensors):
    from torchao.prototype.mx_formats.kernels import mxfp8_quantize_cuda

    return lambda i: mxfp8_quantize_cuda(tensors["x"][i], rowwise=True, colwise=False, scaling_mode="rceil")


def _transformer_engine(tensors):
    import transformer_engine_torch as tex
    from transformer_engine.pytorch.tensor.mxfp8_tensor import MXFP8Quantizer

    quantizer = MXFP8Quantizer(fp8_dtype=tex.DType.kFloat8E4M3, rowwise=True, columnwise=False)
    quantizer.optimize_for_gemm = True  # scales swizzled in the kernel, where its version can
    return lambda i: quantizer(tensors["x"][i])


def _triton_kernels(tensors):
    import torch
    from triton_kernels.numerics_details.mxfp import downcast_to_mxfp

    return lambda i: downcast_to_mxfp(tensors["x"][i], torch.float8_e4m3fn, axis=1)


def _torch_compile(tensors):
    import torch

    @torch.compile
    def quantize(x):
        blocks = x.view(x.shape[0], -1, 32).float()
        quotient = (blocks.abs().amax(2, keepdim=True) / 448.0).view(torch.int32)
        scale = ((quotient + 0x7FFFFF) >> 23).clamp(1, 253)  # rounded up to a power of two
        codes = blocks * ((254 - scale) << 23).view(torch.float32)
        return codes.clamp(-448, 448).to(torch.float8_e4m3fn).view(x.shape), scale.squeeze(2).to(torch.uint8)

    return lambda i: quantize(tensors["x"][i])


def _stream(block, warps):
    """Two bytes in, one out: a quantizer's traffic and nothing else."""

    def make(tensors):
        import torch
        import triton
        from triton_stream import stream

        pairs = [(x.view(torch.int16), q) for x, q in zip(tensors["x"], tensors["q"])]
        elements = pairs[0][0].numel()
        return lambda i: stream[(triton.cdiv(elements, block),)](*pairs[i], elements, BLOCK=block, num_warps=warps)

    return make


PEERS = [
    Peer("mxc, prepared", ["torch", "mxc"], _mxc),
    Peer("mxc, operator of torch", ["torch", "mxc"], _operator),
    Peer("Megatron-LM mxfp8_quantize", ["megatron.core.inference.quantization.mxfp8_quantize"], _megatron),
    Peer("torchao triton_to_mxfp8_dim0", ["torchao.prototype.mx_formats.kernels"], _torchao, remark="scales dense"),
    Peer("torchao mxfp8_quantize_cuda", ["torchao.prototype.mx_formats.kernels"], _torchao_cuda, remark="scales dense"),
    Peer("TransformerEngine MXFP8Quantizer", ["transformer_engine.pytorch"], _transformer_engine),
    Peer("triton_kernels downcast_to_mxfp", ["triton_kernels.numerics_details.mxfp"], _triton_kernels, remark="scales dense"),
    Peer("torch.compile", ["torch", "triton"], _torch_compile, remark="scales dense"),
    *(
        Peer(f"streaming, Triton, {block} elements, {warps} warps", ["torch", "triton"], _stream(block, warps), is_ceiling=True)
        for block, warps in ((2048, 4), (4096, 4), (8192, 8), (8192, 4))
    ),
]


def measure(sizes, arguments):
    import torch

    rows, columns = sizes
    count = race.sets_for(rows * columns * 3)
    tensors = {
        "pdl": arguments.pdl,
        "x": [race.heavy_tailed(rows, columns, torch.bfloat16, seed) for seed in range(count)],
        "q": [torch.zeros(rows, columns, dtype=torch.uint8, device="cuda") for _ in range(count)],
    }
    scale_bytes = -(-rows // 128) * -(-columns // 128) * 512
    tensors["s"] = [torch.zeros(scale_bytes, dtype=torch.uint8, device="cuda") for _ in range(count)]
    found, clocks = race.race(PEERS, count, tensors, arguments.rounds)
    elements = rows * columns
    for row in found:
        if "micros" in row:
            needed = 3 * elements + (0 if row["is_ceiling"] else elements / 32)
            row["rate"] = needed / row["micros"] / 1e3
    return race.case(f"quantize {rows}x{columns}, bf16 to e4m3", "GB/s", count, arguments.pdl, clocks), found
