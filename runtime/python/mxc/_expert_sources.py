"""MLIR of a mixture of experts' kernels: what mxc.torch's experts load. Rows lie in groups, whose ends are on the device."""

from typing import Optional

from . import sources
from ._formats import BLOCKS, layout_of_products

_ENDS, _TABLE = "memref<?xi32>", "memref<?x{count}x{element}>"
_HALF = ", strided<[?, 1]>"  # of a matrix's columns


def _block_scales(block, lead=""):
    return sources._scales(layout_of_products(sources._known(BLOCKS, block, "block")), lead, block)


def _block_clause(*blocks):
    return "" if set(blocks) == {"1x32"} else " block = " + " by ".join(blocks)


# sig = 1 / (1 + exp(-g)), and silu = g sig.
_SILU = """
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %power = math.exp %minus fastmath<afn> : f32
    %below = arith.addf %power, %one : f32
    %silu = arith.divf %g, %below fastmath<afn> : f32"""

_SWIGLU = f"""{_SILU}
    %y = arith.mulf %silu, %u : f32"""

# Of y = silu(g) u: dg = dy u (sig + silu (1 - sig)) and du = dy silu.
_SWIGLU_GRADIENT = f"""{_SILU}
    %sig = arith.divf %one, %below fastmath<afn> : f32
    %rest = arith.subf %one, %sig : f32
    %slope = math.fma %silu, %rest, %sig : f32
    %ofup = arith.mulf %dy, %u : f32
    %dg = arith.mulf %ofup, %slope : f32
    %du = arith.mulf %dy, %silu : f32"""


def quantize(
    values: str,
    format: str,
    axis: str,
    align: int,
    compat: str,
    is_gathered: bool,
    has_factors: bool,
    is_swiglu: bool,
    block: str = "1x32",
) -> str:
    """The kernel quantize(x or gate, up, ends[, index][, factors], q, s[, qt, st]): rows in groups, gathered by the index, times a
    factor for each row, or silu(gate) * up."""
    x = sources._matrix(sources._chosen(sources._VALUES, values, "values"), layout=_HALF)
    names = ("gate", "up") if is_swiglu else ("x",)
    arguments = {name: x for name in names}
    clauses = f" groups(%ends : {_ENDS})"
    arguments["ends"] = _ENDS
    if is_gathered:
        arguments["index"], clauses = _ENDS, clauses + f" gather(%index : {_ENDS})"
    if has_factors:
        arguments["factors"], clauses = "memref<?xf32>", clauses + " rows(%factors : memref<?xf32>)"
    q, s = sources._matrix(sources._chosen(sources._CODES, format, "format")), _block_scales(block)
    outputs = sources._copies(q, s, axis)
    region = ""
    if is_swiglu:
        region = f" {{\n  ^bb0(%g: f32, %u: f32):{_SWIGLU}\n    mx.yield %y : f32\n  }}"
    elif has_factors:
        region = " {\n  ^bb0(%v: f32, %f: f32):\n    %y = arith.mulf %v, %f : f32\n    mx.yield %y : f32\n  }"
    rule = f' compat = "{compat}"' if compat else ""
    inputs = sources._listed({name: x for name in names})
    body = f"mx.quantize ins({inputs}){clauses} outs({sources._listed(outputs)}) axis = {axis} align = {align}{rule}{_block_clause(block)}{region}"
    return sources._kernel("quantize_groups", {**arguments, **outputs}, body)


def matmul(
    a: str, b: str, result: str, align: int, is_swiglu_gradient: bool, blocks: tuple[str, str] = ("1x32", "1x32"), is_gathered: bool = False
) -> str:
    """The kernel grouped_matmul(a, sa, b, sb, ends[, index], c), or of SwiGLU's gradient (.., ends, gate, up, dgate, dup). The matrices b
    of the groups may lie anywhere, with rows that lie apart."""
    operands = {
        "a": sources._matrix(sources._chosen(sources._CODES, a, "a")),
        "sa": _block_scales(blocks[0]),
        "b": sources._matrix(sources._chosen(sources._CODES, b, "b"), "?x", ", strided<[?, ?, 1]>"),
        "sb": _block_scales(blocks[1], "?x"),
    }
    value = sources._chosen(sources._VALUES, result, "result")
    added = {name: sources._matrix(value, layout=_HALF) for name in ("gate", "up") if is_swiglu_gradient}
    results = {name: sources._matrix(value, layout=_HALF) for name in (("dgate", "dup") if is_swiglu_gradient else ("c",))}
    index = {"index": _ENDS} if is_gathered else {}
    extra = f" gather(%index : {_ENDS})" if is_gathered else ""
    extra += f" with({sources._listed(added)})" if added else ""
    region = ""
    if is_swiglu_gradient:
        region = f" {{\n  ^bb0(%dy: f32, %g: f32, %u: f32):{_SWIGLU_GRADIENT}\n    mx.yield %dg, %du : f32, f32\n  }}"
    body = (
        f"mx.grouped_matmul ins({sources._listed(operands)}) groups(%ends : {_ENDS}){extra} outs({sources._listed(results)})"
        f" align = {align}{_block_clause(*blocks)}{region}"
    )
    return sources._kernel("grouped_matmul", {**operands, "ends": _ENDS, **index, **added, **results}, body)


def swiglu(a: str, b: str, kept: Optional[str], axis: str, align: int, format: str, compat: Optional[str]) -> str:
    """The kernel grouped_swiglu(a, sa, b, sb, ends[, gate, up], q, s[, qt, st]): b [G, 2, N, K] has gate's rows and up's, whose products
    are kept as values of that type, and silu(gate) * up is quantized."""
    operands = {
        "a": sources._matrix(sources._chosen(sources._CODES, a, "a")),
        "sa": _block_scales("1x32"),
        "b": sources._matrix(sources._chosen(sources._CODES, b, "b"), "?x2x"),
        "sb": _block_scales("1x32", "?x2x"),
    }
    half = sources._matrix(sources._chosen(sources._VALUES, kept, "kept"), layout=_HALF) if kept else ""
    halves = {name: half for name in ("gate", "up") if kept}
    q, s = sources._matrix(sources._chosen(sources._CODES, format, "format")), _block_scales("1x32")
    copies = sources._copies(q, s, axis)
    names = list(copies)
    axes = ("row", "column") if axis == "both" else (axis,)
    pairs = [f"(%{names[2 * i]}, %{names[2 * i + 1]}) {{axis = {of}}}" for i, of in enumerate(axes)]
    outs = ", ".join([*(f"%{name}" for name in halves), *pairs]) + " : " + ", ".join([*halves.values(), *copies.values()])
    values = ["%g", "%u"][: len(halves)] + ["%y"] * len(pairs)
    rule = f' compat = "{compat}"' if compat else ""
    body = (
        f"mx.grouped_matmul ins({sources._listed(operands)}) groups(%ends : {_ENDS}) outs({outs}) align = {align} parts = 2{rule}"
        f" {{\n  ^bb0(%g: f32, %u: f32):{_SWIGLU}\n    mx.yield {', '.join(values)} : {', '.join(['f32'] * len(values))}\n  }}"
    )
    return sources._kernel("grouped_swiglu", {**operands, "ends": _ENDS, **halves, **copies}, body)


def wgrad(a: str, b: str, result: str, block: str = "1x32") -> str:
    """The kernel grouped_wgrad(a, sa, b, sb, ends, c) of copies along columns."""
    operands = {
        "a": sources._matrix(sources._chosen(sources._CODES, a, "a")),
        "sa": _block_scales(block),
        "b": sources._matrix(sources._chosen(sources._CODES, b, "b")),
        "sb": _block_scales(block),
    }
    c = sources._matrix(sources._chosen(sources._VALUES, result, "result"), "?x")
    body = (
        f"mx.grouped_matmul ins({sources._listed(operands)}) groups(%ends : {_ENDS}) outs(%c : {c}) ragged = k"
        f"{_block_clause(block)}"
    )
    return sources._kernel("grouped_wgrad", {**operands, "ends": _ENDS, "c": c}, body)


def combine(values: str, result: str, count: int, has_weights: bool) -> str:
    """The kernel combine(h, rows[, weights], y)."""
    h = sources._matrix(sources._chosen(sources._VALUES, values, "values"))
    y = sources._matrix(sources._chosen(sources._VALUES, result, "result"))
    rows, numbers = _TABLE.format(count=count, element="i32"), _TABLE.format(count=count, element="f32")
    weights = {"weights": numbers} if has_weights else {}
    clause = f" weights(%weights : {numbers})" if has_weights else ""
    body = f"mx.combine ins(%h : {h}) gather(%rows : {rows}){clause} outs(%y : {y})"
    return sources._kernel("combine", {"h": h, "rows": rows, **weights, "y": y}, body)


def gather_dot(left: str, right: str, count: int) -> str:
    """The kernel gather_dot(left, right, rows, dots)."""
    a = sources._matrix(sources._chosen(sources._VALUES, left, "left"))
    b = sources._matrix(sources._chosen(sources._VALUES, right, "right"))
    rows, dots = _TABLE.format(count=count, element="i32"), _TABLE.format(count=count, element="f32")
    body = f"mx.gather_dot ins(%left, %right : {a}, {b}) gather(%rows : {rows}) outs(%dots : {dots})"
    return sources._kernel("gather_dot", {"left": a, "right": b, "rows": rows, "dots": dots}, body)
