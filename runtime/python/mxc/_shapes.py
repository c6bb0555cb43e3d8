"""Shapes of quantized matrices and of products, for the operators of torch and JAX."""

BLOCK = 32


def scale_shape(rows, columns, layout):
    """Of a matrix of rows x columns elements, blocks along the rows."""
    blocks = (columns + BLOCK - 1) // BLOCK
    if layout == "tcgen05":
        return (((rows + 127) // 128) * ((blocks + 3) // 4) * 512,)
    return (rows, blocks)


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
