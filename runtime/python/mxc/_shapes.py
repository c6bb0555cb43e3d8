"""Shapes of quantized matrices, for the operators of torch and JAX."""

BLOCK = 32


def scale_shape(rows, columns, layout):
    """Of a matrix of rows x columns elements, blocks along the rows."""
    blocks = (columns + BLOCK - 1) // BLOCK
    if layout == "tcgen05":
        return (((rows + 127) // 128) * ((blocks + 3) // 4) * 512,)
    return (rows, blocks)
