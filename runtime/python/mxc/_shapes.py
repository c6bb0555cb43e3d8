"""Shapes of quantized matrices and of products, for the operators of torch and JAX."""

from ._formats import BITS, BLOCKS, ELEMENTS, LAYOUTS, layout_of_products, run_of

_PACKED = {element: run_of(element) for element in ELEMENTS if BITS[element] < 8}


def packed(columns, format, refuse):
    """The bytes of a row of so many elements."""
    if format not in _PACKED:
        return columns
    elements, size = _PACKED[format]
    if columns % elements:
        refuse(f"mxc: rows of {columns} elements of {format}: expected a multiple of {elements}, which are whole bytes")
    return columns // elements * size


def unpacked(shape, format):
    """The shape in elements of codes whose rows have so many bytes."""
    if format not in _PACKED:
        return shape
    elements, size = _PACKED[format]
    return (*shape[:-1], shape[-1] // size * elements)


def layout_of(layout, block):
    """The layout that is meant: tcgen05, the default, is for scales of 8 bits alone."""
    return layout_of_products(block) if layout == "tcgen05" and block in BLOCKS else layout


def scale_shape(rows, columns, layout, block="1x32"):
    """Of a matrix of rows x columns elements, blocks along the rows."""
    block_rows, block_columns = BLOCKS.get(block, BLOCKS["1x32"])  # others are refused where the kernel is made
    lines, blocks = -(-rows // block_rows), -(-columns // block_columns)
    of = LAYOUTS.get(layout, LAYOUTS["dense"])
    tiles_down, tiles_across = -(-lines // of["rows"]), -(-blocks // of["blocks"])
    if of["storage"] == "tiles":
        return (tiles_down * tiles_across * of["rows"] * of["blocks"],)
    if of["storage"] == "lines":
        return (tiles_across, of["blocks"] * tiles_down * of["rows"])
    return (lines, tiles_across * of["blocks"]) if of["storage"] == "rows" else (lines, blocks)


def block_of(shape, scales, refuse):
    """Which blocks a matrix of `shape` has whose f32 scales have that shape, and in which layout."""
    rows, columns = shape[-2], shape[-1]
    for block, layout in (("128x128", "dense"), ("1x128", "mn_major"), ("1x128", "dense")):
        if tuple(scales[-2:]) == scale_shape(rows, columns, layout, block):
            return block, layout
    refuse(
        f"mxc: scales of f32 of shape {tuple(scales)} for codes {tuple(shape)}: expected "
        + " or ".join(str(scale_shape(rows, columns, l, b)) for b, l in (("1x128", "mn_major"), ("128x128", "dense")))
    )


def product_shape(a, b, bias, residual, refuse):
    """Of a product, by the shapes of its operands; bias and residual may be None. refuse(message) raises. Cheap where nothing is
    wrong: every call of torch's operator comes here."""
    rank = len(a)
    if rank not in (2, 3):
        refuse(f"mxc: a has {rank} dimensions: expected 2 or 3")
    if len(b) != rank:
        refuse(f"mxc: b has {len(b)} dimensions, and a {rank}: expected the same")
    if a[-1] != b[-1]:
        refuse(f"mxc: a has rows of {a[-1]} elements, and b of {b[-1]}: expected a [.., M, K] and b [.., N, K]")
    if rank == 3 and a[0] != b[0]:
        refuse(f"mxc: a is a batch of {a[0]}, and b of {b[0]}: expected the same")
    shape = (*a[:-1], b[-2])
    if bias is not None and (len(bias) != 1 or bias[0] != shape[-1]):
        refuse(f"mxc: bias of shape {tuple(bias)}: expected ({shape[-1]},)")
    if residual is not None and tuple(residual) != shape:
        refuse(f"mxc: residual of shape {tuple(residual)}: expected {shape}")
    return shape
