"""torch.ops.mxc.convert_scales and requantize; and scales as torch.nn.functional.scaled_mm lays them out."""

import functools
from typing import Optional

import torch

from .gradients import require_gradients, undifferentiated
from .kernels import CODES, SCALES, chosen, contiguous, define, device_of, engine_of, launch, readable_scales, refuse, scale_of_tensor
from .. import sources
from .._shapes import BLOCKS, layout_of, scale_shape, unpacked

_TYPES = {SCALES[name]: name for name in ("f32", "ue8m0")}


@functools.lru_cache(maxsize=None)
def _converter(device, rows, blocks, scales, to, block, to_block, counts):
    source = sources.convert_scales(rows, blocks, scales, to, block, to_block, counts)
    return engine_of(device).load(source, name="mxc.torch's convert_scales")


@functools.lru_cache(maxsize=None)
def _requantizer(device, format, layout, to_layout, counts, measures):
    source = sources.requantize(format, layout, to_layout, counts, measures)
    return engine_of(device).load(source, name="mxc.torch's requantize")


def _new_scales(s, rows, columns, block, to_block, layout, to_layout, dtype, inexact=None):
    for name, known in (("block", block), ("to_block", to_block)):
        chosen(BLOCKS, known, name)
    return s.new_empty(scale_shape(rows, columns, layout_of(to_layout, to_block), to_block), dtype=dtype)


def _convert(s, rows, columns, block, to_block, layout, to_layout, dtype, inexact=None):
    t = _new_scales(s, rows, columns, block, to_block, layout, to_layout, dtype)
    layout, to_layout = layout_of(layout, block), layout_of(to_layout, to_block)
    expected = scale_shape(rows, columns, layout, block)
    if tuple(s.shape) != expected:
        refuse(f"mxc: scales of shape {tuple(s.shape)}: expected {expected}, {layout} of {rows} x {columns} elements in blocks of {block}")
    block_rows, block_columns = BLOCKS[to_block]
    kernel = _converter(
        device_of(s),
        -(-rows // block_rows),
        -(-columns // block_columns),
        (chosen(_TYPES, s.dtype, "dtype of s"), layout),
        (chosen(_TYPES, dtype, "dtype"), to_layout),
        block,
        to_block,
        inexact is not None,
    )
    launch(kernel, readable_scales(s), t, *([] if inexact is None else [inexact]))
    return t


def _requantized(q, s, layout="tcgen05", to_layout=None, inexact=None, error=None, tensor_scale=None):
    torch._check(q.dim() == 2, lambda: f"mxc: q has {q.dim()} dimensions: expected 2")
    block, dtype, to_layout = _target(q, to_layout)
    t = q.new_empty(scale_shape(*unpacked(q.shape, CODES.get(q.dtype)), to_layout, block), dtype=dtype)
    return q.new_empty(q.shape), t


def _target(q, to_layout):
    """The blocks that codes of this type are put into, the type of their scales, and these scales' layout."""
    if q.dtype == torch.float4_e2m1fn_x2:
        return "1x16", torch.float8_e4m3fn, to_layout or "tcgen05"
    return "1x128", torch.float32, to_layout or "mn_major"


def _requantize(q, s, layout="tcgen05", to_layout=None, inexact=None, error=None, tensor_scale=None):
    r, t = _requantized(q, s, layout, to_layout)
    block, _, to_layout = _target(q, to_layout)
    format = chosen(CODES, q.dtype, "dtype of q")
    scale = scale_of_tensor(tensor_scale, block)
    kernel = _requantizer(device_of(q), format, layout, to_layout, inexact is not None, error is not None)
    launch(kernel, contiguous(q), readable_scales(s), *scale, r, t, *(loss for loss in (inexact, error) if loss is not None))
    return r, t


_converted = define(
    "convert_scales(Tensor s, int rows, int columns, str block, str to_block, str layout, str to_layout, ScalarType dtype, "
    "Tensor(inexact!)? inexact=None) -> Tensor",
    _convert,
    _new_scales,
)
_in_other_blocks = define(
    "requantize(Tensor q, Tensor s, str layout='tcgen05', str? to_layout=None, Tensor(inexact!)? inexact=None, "
    "Tensor(error!)? error=None, Tensor? tensor_scale=None) -> (Tensor, Tensor)",
    _requantize,
    _requantized,
)


def convert_scales(
    s: torch.Tensor,
    shape: tuple[int, int],
    block: str = "1x128",
    to_block: str = "1x32",
    *,
    layout: str = "tcgen05",
    to_layout: str = "tcgen05",
    dtype: Optional[torch.dtype] = None,
    inexact: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    """The scales s of a matrix [M, K] of that shape, in blocks of `block`, for the blocks `to_block` that these are made of, as dtype
    (float8_e8m0fnu of 1x32, else float32). So blocks of 128 whose scales are powers of two multiply on chips whose tensor cores take
    scales. Layouts: those of quantize, and "mn_packed", "padded". inexact: an int64 [1] to which the number of scales that were no
    power of two is added. A size is compiled at its first use."""
    if dtype is None:
        dtype = torch.float8_e8m0fnu if to_block == "1x32" else torch.float32
    rule = shape[0], shape[1], block, to_block, layout, to_layout, dtype, inexact
    return undifferentiated(_converted, s, *rule) if require_gradients(s) else _converted(s, *rule)


def requantize(
    q: torch.Tensor,
    s: torch.Tensor,
    *,
    layout: str = "tcgen05",
    to_layout: Optional[str] = None,
    inexact: Optional[torch.Tensor] = None,
    error: Optional[torch.Tensor] = None,
    tensor_scale: Optional[torch.Tensor] = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns MXFP8 codes q with the scales s in blocks of 1x128, and their scales of f32 ("mn_major"), as products on Hopper's FP8 cores read
    them; or MXFP4 as NVFP4 under the float32 tensor_scale, a power of two where it shall be exact, with scales of float8_e4m3fn. inexact:
    an int64 [1] to which the number of elements that lost bits is added; error: a float32 [1] that becomes their largest relative
    error, if it held less. Clear both before."""
    arguments = q, s, layout, to_layout, inexact, error, tensor_scale
    if require_gradients(q, s, tensor_scale):
        return undifferentiated(_in_other_blocks, *arguments)
    return _in_other_blocks(*arguments)


def scales_for_scaled_mm(s: torch.Tensor, shape: tuple[int, int], block: str) -> torch.Tensor:
    """quantize's scales of a matrix [M, K] of that shape as torch.nn.functional.scaled_mm takes them: of BlockWise1x128 [M, ceil(K / 128)] with strides
    (1, M), a view where M is a multiple of 4; of BlockWise128x128 [ceil(M / 128), ceil(K / 128)] in rows of a multiple of 4; of BlockWise1x32
    (SWIZZLE_32_4_4) they are the same."""
    if block == "1x128":
        lines = s[:, : shape[0]]
        return lines.contiguous().t()
    if block == "128x128":
        return torch.nn.functional.pad(s, (0, -s.shape[1] % 4))[:, : s.shape[1]]
    chosen(BLOCKS, block, "block")
    return s


def scales_from_scaled_mm(s: torch.Tensor, block: str) -> torch.Tensor:
    """The way back: mxc.torch's scales of those that torch.nn.functional.scaled_mm takes."""
    if block == "1x128":
        return torch.nn.functional.pad(s.t(), (0, -s.shape[0] % 4)).contiguous()
    chosen(BLOCKS, block, "block")
    return s.contiguous()
