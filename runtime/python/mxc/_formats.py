"""Types, blocks and layouts of scales as libmxc has them, and their names in NumPy (with ml_dtypes), torch and JAX."""

import json
import math

from ._library import library

_known = json.loads(library.mxc_formats())

VALUES = ("bf16", "f16", "f32")  # that are quantized, and that products make
BITS = {name: type["bits"] for name, type in _known["types"].items()}  # in memory
ELEMENTS = tuple(sorted({format["element"] for format in _known["block_formats"].values()}, key=lambda name: (-BITS[name], name)))
SCALES = tuple(dict.fromkeys(format["scale"] for format in _known["block_formats"].values()))
MLIR = {name: type.get("mlir", name) for name, type in _known["types"].items()}
TENSOR_TYPES = tuple(dict.fromkeys((*VALUES, "f64", "i32", "i64", "u8", *ELEMENTS, *SCALES)))


def _dtype(mlir):
    """bf16 is bfloat16 elsewhere, and f8E4M3FN float8_e4m3fn."""
    kind = next(kind for kind in ("bf", "f", "i", "u") if mlir.startswith(kind))
    size, _, rest = mlir[len(kind) :].partition("E")
    return {"bf": "bfloat", "f": "float", "i": "int", "u": "uint"}[kind] + size + (f"_e{rest.lower()}" if rest else "")


DTYPES = {name: _dtype(MLIR[name]) for name in TENSOR_TYPES}
TYPES = {DTYPES[name]: name for name in reversed(TENSOR_TYPES)}  # of two that have one name (e4m3, ue4m3) the element


def _blocks():
    for format in _known["block_formats"].values():
        yield f"{format['rows']}x{format['columns']}", format


BLOCKS = {name: (format["rows"], format["columns"]) for name, format in _blocks()}
_SCALES_OF = {name: format["scale"] for name, format in reversed(list(_blocks()))}  # the first that the table names
HAVE_TENSOR_SCALES = {name for name, format in _blocks() if format["tensor_scale"]}
LAYOUTS = _known["scale_layouts"]
LAYOUTS_OF = {
    scale: tuple(name for name, layout in LAYOUTS.items() if layout["scale_bits"] in (0, BITS[scale])) for scale in SCALES
}


def scale_of(block):
    """The type of the scales of such blocks; "1x128 to 1x32" has those of 1x32. Blocks that are not known are refused where a kernel is
    made of them."""
    return _SCALES_OF.get(block.rpartition(" to ")[2], "f32")


def layout_of_products(block):
    """In which products read the scales of such blocks."""
    if BITS[scale_of(block)] == 8:
        return "tcgen05"
    return "mn_major" if BLOCKS[block][0] == 1 else "dense"


def run_of(element):
    """So many elements lie in so many whole bytes."""
    shared = math.gcd(8, BITS[element])
    return 8 // shared, BITS[element] // shared
