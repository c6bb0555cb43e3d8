"""MXFP8 for torch: quantizers, products and linear layers, for eager mode, torch.compile and CUDA graphs. docs/torch.md shows
how they are used; results are bit for bit those of docs/semantics.

    q, s = mxc.torch.quantize(x)  # x: [M, K] of bfloat16, float16 or float32
    y = mxc.torch.matmul(q, s, wq, ws)  # [M, N]
    mxc.torch.convert(model, lambda name, layer: name != "head")  # its linear layers become MXLinear

Scales are in the layout of tcgen05 (torch.nn.functional's SWIZZLE_32_4_4), as one dimension of whole padded tiles; quantizers
also write them dense: [rows, blocks]. Kernels are compiled at their first use on a device and kept in mxc's cache."""

from .experts import combine, quantize_groups
from .kernels import simulate
from .layers import MXLinear, convert, linear, mlp
from .moe import MoE, expert_rows, grouped_mm, weight_copies
from .nvfp4 import nvfp4_amax, quantize_nvfp4
from .products import matmul, matmul_out
from .quantizers import dequantize, quantize, quantize_both, quantize_column
from .scales import convert_scales, requantize, scales_for_scaled_mm, scales_from_scaled_mm

__all__ = [
    "MXLinear",
    "MoE",
    "combine",
    "convert",
    "convert_scales",
    "dequantize",
    "expert_rows",
    "grouped_mm",
    "linear",
    "matmul",
    "matmul_out",
    "mlp",
    "nvfp4_amax",
    "quantize",
    "quantize_both",
    "quantize_column",
    "quantize_groups",
    "quantize_nvfp4",
    "requantize",
    "scales_for_scaled_mm",
    "scales_from_scaled_mm",
    "simulate",
    "weight_copies",
]
