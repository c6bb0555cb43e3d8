"""MLIR of quantizers and products by the names of their types: what mxc.torch loads, for every other host too.

    multiply = engine.load(mxc.sources.matmul(result="f32"))

Elements are "e4m3", "e5m2", "e2m3", "e3m2" or "e2m1", values "bf16", "f16" or "f32"; scales are "tcgen05" (as the tensor cores read them) or
"dense". Blocks of 1x16 are NVFP4's: e2m1, scales of ue4m3, and an f32 for the tensor. Blocks of 1x128 and 128x128 have scales of f32:
"mn_major" (as products read those of 1x128) or "dense". convert_scales has other libraries' layouts, too: "mn_packed" (DeepGEMM's words of
ue8m0) and "padded" (TransformerEngine's and torch's of 128x128)."""

import re
from typing import Optional

from ._errors import UsageError
from ._formats import BLOCKS, ELEMENTS, LAYOUTS_OF, MLIR, VALUES, layout_of_products, scale_of

__all__ = ["convert_scales", "dequantize", "matmul", "quantize", "quantize_nvfp4", "requantize", "rounded_to"]

_VALUES = {name: MLIR[name] for name in VALUES}
_CODES = {name: MLIR[name] for name in ELEMENTS}
_BLOCKS = (*BLOCKS, "1x128 to 1x32", "128x128 to 1x32")
_COPIES = {"row": ("q", "s"), "column": ("q", "s"), "both": ("q", "s", "qt", "st")}

# What makes %y of %x, both f32. {afn} is where the hardware's approximations may be taken.
_ACTIVATIONS = {
    "relu": """
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %x, %zero : f32""",
    "gelu": """
    %root = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %y = math.fma %h, %erf, %h : f32""",
    "gelu_tanh": """
    %cubic = arith.constant 0.044715 : f32
    %square = arith.mulf %x, %x : f32
    %one = arith.constant 1.0 : f32
    %inner = math.fma %square, %cubic, %one : f32
    %slope = arith.constant 0.79788456080286536 : f32
    %steep = arith.mulf %x, %slope : f32
    %argument = arith.mulf %steep, %inner : f32
    %t = math.tanh %argument{afn} : f32
    %half = arith.constant 0.5 : f32
    %h = arith.mulf %x, %half : f32
    %y = math.fma %h, %t, %h : f32""",
    "silu": """
    %minus = arith.negf %x : f32
    %e = math.exp %minus{afn} : f32
    %one = arith.constant 1.0 : f32
    %below = arith.addf %e, %one : f32
    %y = arith.divf %x, %below{afn} : f32""",
}

# What makes %slope of %x: the activation's derivative there.
_SLOPES = {
    "relu": """
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %is_above = arith.cmpf ogt, %x, %zero : f32
    %slope = arith.select %is_above, %one, %zero : f32""",
    "gelu": """
    %root = arith.constant 0.70710678118654752 : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %half = arith.constant 0.5 : f32
    %below = math.fma %erf, %half, %half : f32
    %minus_half = arith.constant -0.5 : f32
    %square = arith.mulf %x, %x : f32
    %exponent = arith.mulf %square, %minus_half : f32
    %e = math.exp %exponent{afn} : f32
    %density = arith.constant 0.39894228040143268 : f32
    %weighted = arith.mulf %x, %density : f32
    %slope = math.fma %weighted, %e, %below : f32""",
    "gelu_tanh": """
    %cubic = arith.constant 0.044715 : f32
    %square = arith.mulf %x, %x : f32
    %one = arith.constant 1.0 : f32
    %inner = math.fma %square, %cubic, %one : f32
    %root = arith.constant 0.79788456080286536 : f32
    %steep = arith.mulf %x, %root : f32
    %argument = arith.mulf %steep, %inner : f32
    %t = math.tanh %argument{afn} : f32
    %half = arith.constant 0.5 : f32
    %below = math.fma %t, %half, %half : f32
    %minus_t = arith.negf %t : f32
    %rest = math.fma %minus_t, %t, %one : f32
    %three = arith.constant 0.134145 : f32
    %inner_slope = math.fma %square, %three, %one : f32
    %half_steep = arith.mulf %steep, %half : f32
    %risen = arith.mulf %rest, %inner_slope : f32
    %slope = math.fma %half_steep, %risen, %below : f32""",
    "silu": """
    %minus = arith.negf %x : f32
    %e = math.exp %minus{afn} : f32
    %one = arith.constant 1.0 : f32
    %below = arith.addf %e, %one : f32
    %sig = arith.divf %one, %below{afn} : f32
    %rest = arith.subf %one, %sig : f32
    %bend = arith.mulf %x, %rest : f32
    %slope = math.fma %sig, %bend, %sig : f32""",
}


def rounded_to(values: str) -> str:
    """The activation that rounds to that type."""
    return f"""
    %rounded = arith.truncf %x : f32 to {_chosen(_VALUES, values, "values")}
    %y = arith.extf %rounded : {values} to f32"""


def _known(names, name, what):
    if name not in names:
        raise UsageError(f"mxc: {what}: expected {', '.join(names)}, found {name}")
    return name


def _chosen(table, key, what):
    return table[_known(table, key, what)]


def _matrix(element, lead="", layout=""):
    return f"memref<{lead}?x?x{element}{layout}>"


def _scales(layout, lead="", block="1x32"):
    scale = scale_of(_known(_BLOCKS, block, "block"))
    _known(dict.fromkeys((layout_of_products(block), "dense")), layout, "layout")
    return f"memref<{lead}?x?x{MLIR[scale]}{_laid_out(layout)}>"


def _laid_out(layout):
    return "" if layout == "dense" else f", #mx.scale_layout<{layout}>"


def _of_tensor(block):
    """The clause and the argument of the tensor's scale, where blocks have one."""
    if block != "1x16":
        return "", {}
    return " tensor_scale(%tensor_scale : memref<1xf32>)", {"tensor_scale": "memref<1xf32>"}


def _block_clause(block):
    """Nothing where the types say which blocks are meant."""
    return "" if block in ("1x32", "1x16") else f" block = {block}"


def _rule(rounding, compat, block):
    """How scales are made of maxima."""
    if compat is not None:
        return f' compat = "{compat}"'
    if block == "1x16" and rounding is None:
        return ""
    return f" rounding = {rounding or ('ceil' if block.endswith('1x32') else 'nearest')}"


def _copies(q, s, axis):
    """The outputs' types, by name: codes and scales of the copies along an axis."""
    return {name: s if name.startswith("s") else q for name in _chosen(_COPIES, axis, "axis")}


def _listed(types):
    return ", ".join(f"%{name}" for name in types) + " : " + ", ".join(types.values())


def _kernel(name, arguments, body):
    declared = ", ".join(f"%{argument}: {type}" for argument, type in arguments.items())
    return f"mx.kernel @{name}({declared}) {{\n  {body}\n}}\n"


def quantize(
    values: str = "bf16",
    format: str = "e4m3",
    axis: str = "row",
    rounding: Optional[str] = None,
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    rows_lie_apart: bool = False,
    block: str = "1x32",
    activation: str = "",
    is_gradient: bool = False,
) -> str:
    """The kernel quantize(x, q, s) along rows or columns, or quantize(x, q, s, qt, st) along both. rounding: "ceil" for scales of
    1x32, "nearest" for others, where nothing is said. compat: a preset in place of it ("te", "torchao", "megatron", "cublas"; for scales of
    f32 "deepseek", "te_blockwise", "te_blockwise_f32"). Blocks of 1x16 have an argument tensor_scale, f32 [1], after x. activation(x) is
    quantized where there is one, as matmul has them; is_gradient: the kernel quantize(x, at, q, s[, qt, st]) quantizes x times the slope of
    a named activation at the values of another such matrix."""
    if compat is not None and rounding not in (None, "ceil"):
        raise UsageError(f"mxc: compat = {compat} determines the rounding: expected no other, found {rounding}")
    x = _matrix(_chosen(_VALUES, values, "values"), layout=", strided<[?, 1]>" if rows_lie_apart else "")
    q, s = _matrix(_chosen(_CODES, format, "format")), _scales(layout, block=block)
    outputs = _copies(q, s, axis)
    of_tensor, scale = _of_tensor(block)
    rule = _rule(rounding, compat, block) + _block_clause(block)
    inputs, region = {"x": x}, ""
    if is_gradient:
        inputs["at"] = x
        text = _chosen(_SLOPES, activation, "activation").replace("{afn}", _approximation(format))
        region = f"(%dy: f32, %value: f32):{text}\n    %y = arith.mulf %dy, %slope : f32"
    elif activation:
        region = f"(%value: f32):{_activation(activation, format)[0]}"
    if region:
        region = " {\n  ^bb0" + re.sub(r"%x\b", "%value", region) + "\n    mx.yield %y : f32\n  }"  # %x is the matrix here
    body = f"mx.quantize ins({_listed(inputs)}){of_tensor} outs({_listed(outputs)}) axis = {axis}{rule}{region}"
    return _kernel("quantize", {**inputs, **scale, **outputs}, body)


def quantize_nvfp4(
    values: str = "bf16",
    axis: str = "row",
    layout: str = "tcgen05",
    compat: Optional[str] = None,
    hadamard: Optional[str] = None,
    four_over_six: bool = False,
    is_random: bool = False,
    finds_amax: bool = False,
    rows_lie_apart: bool = False,
) -> str:
    """The kernel quantize(x, amax, random, q, s, qt, st, found), without the arguments that are not meant: amax is f32 [1], the largest
    magnitude of what is quantized, and found is made of it; random is i64 [2], a seed and an offset. hadamard: which copies are transformed,
    "row", "column" or "both"; of two copies, one of them transformed, amax and found are [2]. compat: "te", "torchao" or "flashinfer"."""
    x = _matrix(_chosen(_VALUES, values, "values"), layout=", strided<[?, 1]>" if rows_lie_apart else "")
    q, s = _matrix("f4E2M1FN"), _scales(layout, block="1x16")
    amax = "memref<2xf32>" if axis == "both" and hadamard else "memref<1xf32>"
    random = {"random": "memref<2xi64>"} if is_random else {}
    outputs = _copies(q, s, axis)
    found = {"found": amax} if finds_amax else {}
    clauses = f" tensor_amax(%amax : {amax})" + "".join(f" random(%{name} : {type})" for name, type in random.items())
    body = f"mx.quantize ins(%x : {x}){clauses} outs({_listed(outputs)})"
    body += f" amax(%found : {amax})" if found else ""
    body += f" axis = {axis}" + (f' compat = "{compat}"' if compat else "")
    if hadamard:
        along = f" along {hadamard}" if axis == "both" and hadamard != "both" else ""
        body += f" hadamard = 16{along}" if axis == "both" or hadamard in ("both", axis) else ""
    body += " four_over_six = mse" if four_over_six else ""
    return _kernel("quantize", {"x": x, "amax": amax, **random, **outputs, **found}, body)


def dequantize(format: str = "e4m3", values: str = "bf16", layout: str = "tcgen05", block: str = "1x32") -> str:
    """The kernel dequantize(q, s, y), for blocks of 1x16 dequantize(q, s, tensor_scale, y)."""
    inputs = {"q": _matrix(_chosen(_CODES, format, "format")), "s": _scales(layout, block=block)}
    y = _matrix(_chosen(_VALUES, values, "values"))
    of_tensor, scale = _of_tensor(block)
    body = f"mx.dequantize ins({_listed(inputs)}){of_tensor} outs(%y : {y}){_block_clause(block)}"
    return _kernel("dequantize", {**inputs, **scale, "y": y}, body)


def convert_scales(
    rows: int,
    blocks: int,
    scales: tuple[str, str] = ("f32", "mn_major"),
    to: tuple[str, str] = ("ue8m0", "tcgen05"),
    block: str = "1x128",
    to_block: str = "1x32",
    counts: bool = False,
) -> str:
    """The kernel convert_scales(s, t), which makes `rows` x `blocks` scales t of s; `scales` and `to` are types and layouts. Tiles do not say
    how large a matrix is, so that each size has a kernel of its own. counts: convert_scales(s, t, inexact), an i64 [1] to which the
    number of scales of f32 that are no power of two is added."""

    def matrix(type_and_layout, shape):
        kind, layout = type_and_layout
        layouts = LAYOUTS_OF[_known(("f32", "ue8m0"), kind, "scales")]
        return f"memref<{shape}x{MLIR[kind]}, #mx.scale_layout<{_known(layouts, layout, f'layout of scales of {kind}')}>>"

    types = {"s": matrix(scales, "?x?"), "t": matrix(to, f"{rows}x{blocks}")}
    count = {"inexact": "memref<1xi64>"} if counts else {}
    clauses = " inexact(%inexact : memref<1xi64>)" if counts else ""
    if block != to_block:
        clauses += f" block = {block} to {to_block}"
    body = f"mx.convert_scales ins(%s : {types['s']}) outs(%t : {types['t']}){clauses}"
    return _kernel("convert_scales", {**types, **count}, body)


def requantize(
    format: str = "e4m3", layout: str = "tcgen05", to_layout: str = "mn_major", counts: bool = False, measures: bool = False
) -> str:
    """The kernel requantize(q, s, r, t): MXFP8 in blocks of 1x128 with scales of f32; for e2m1 requantize(q, s, tensor_scale, r, t): MXFP4 as
    NVFP4, `to_layout` being "tcgen05" or "dense". counts, measures: arguments inexact, an i64 [1] to which
    the number of elements that lost bits is added, and error, an f32 [1] that becomes their largest relative error."""
    codes = _matrix(_chosen(_CODES, format, "format"))
    inputs = {"q": codes, "s": _scales(layout)}
    block = "1x16" if format == "e2m1" else "1x128"
    of_tensor, scale = _of_tensor(block)
    outputs = {"r": codes, "t": _scales(to_layout, block=block)}
    losses = {"inexact": "memref<1xi64>"} if counts else {}
    if measures:
        losses["error"] = "memref<1xf32>"
    clauses = "".join(f" {name}(%{name} : {type})" for name, type in losses.items())
    body = f"mx.requantize ins({_listed(inputs)}){of_tensor} outs({_listed(outputs)}){clauses}"
    return _kernel("requantize", {**inputs, **scale, **outputs, **losses}, body)


def matmul(
    a: str = "e4m3",
    b: str = "e4m3",
    result: str = "bf16",
    bias: Optional[str] = None,
    residual: Optional[str] = None,
    activation: str = "",
    reduction: str = "any",
    accumulate: bool = False,
    batch: bool = False,
    blocks: tuple[str, str] = ("1x32", "1x32"),
    alpha: bool = False,
    row_scale: bool = False,
) -> str:
    """The kernel matmul(a, sa, b, sb[, bias][, residual][, row_scale][, alpha], c): c = activation(alpha row_scale a b^T + bias) + residual,
    computed in f32.

    bias and residual are types of values, or None; bias is [1, N]. activation: relu, gelu, gelu_tanh, silu, or MLIR text that
    makes %y of %x. With `accumulate` the product is added to c; with `batch` every tensor has one dimension more, the first. blocks:
    of a and of b; ("1x128", "128x128") is DeepSeek's recipe, with scales of f32; ("1x16", "1x16") is NVFP4, whose tensors' scales alpha, f32
    [1], is the product of. row_scale is f32 [M, 1]."""
    lead = "?x" if batch else ""
    codes = {name: _matrix(_chosen(_CODES, format, name), lead) for name, format in (("a", a), ("b", b))}
    sa, sb = (_scales(layout_of_products(_known(BLOCKS, block, "blocks")), lead, block) for block in blocks)
    operands = {"a": codes["a"], "sa": sa, "b": codes["b"], "sb": sb}
    added = {}
    if bias is not None:
        added["bias"] = f"memref<{lead}1x?x{_chosen(_VALUES, bias, 'bias')}>"
    if residual is not None:
        added["residual"] = _matrix(_chosen(_VALUES, residual, "residual"), lead)
    if row_scale:
        added["row_scale"] = f"memref<{lead}?x1xf32>"
    c = _matrix(_chosen(_VALUES, result, "result"), lead)
    extra = f" with({_listed(added)})" if added else ""
    clauses = f" reduction = {reduction}" + (" accumulate" if accumulate else "")
    if blocks[0] == "1x128":
        clauses += f" block = {blocks[0]} by {blocks[1]}"
    if alpha:
        added["alpha"] = "memref<1xf32>"
        extra += " alpha(%alpha : memref<1xf32>)"
    region = _epilogue([name for name in added if name != "alpha"], activation, result)
    body = f"mx.matmul ins({_listed(operands)}){extra} outs(%c : {c}){clauses}{region}"
    return _kernel("matmul", {**operands, **added, "c": c}, body)


def _epilogue(added, activation, result):
    """The region's text: activation(product * row_scale + bias) + residual, of those that are added."""
    if not (added or activation):
        return ""
    text, last = _activation(activation, result)
    lines = ["  ^bb0(%product: f32" + "".join(f", %{name}_value: f32" for name in added) + "):"]
    product = "%product"
    if "row_scale" in added:
        lines.append("    %scaled_product = arith.mulf %product, %row_scale_value : f32")
        product = "%scaled_product"
    lines.append("    %nothing = arith.constant -0.0 : f32" if "bias" not in added else "")
    lines.append(f"    %x = arith.addf {product}, {'%bias_value' if 'bias' in added else '%nothing'} : f32")
    lines.append(text)
    if "residual" in added:
        lines.append(f"    %sum = arith.addf {last}, %residual_value : f32")
        last = "%sum"
    lines.append(f"    mx.yield {last} : f32")
    return " {\n" + "\n".join(line for line in lines if line) + "\n  }"


def _activation(name, result):
    if not name:
        return "", "%x"
    if "%" in name:  # MLIR text
        return name, "%y"
    return _chosen(_ACTIVATIONS, name, "activation").replace("{afn}", _approximation(result)), "%y"


def _approximation(result):
    """Results of 16 bits and fewer may be made of the hardware's approximations."""
    return "" if result == "f32" else " fastmath<afn>"
