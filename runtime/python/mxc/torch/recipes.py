"""What becomes of the operands of a linear layer's products: a recipe chooses the blocks of each.

Every copy is quantized along what its product sums over: of a matrix [M, K] the copy along rows is [M, K], the one along columns
its transpose [K, M]. Copies are (codes, scales)."""

from .quantizers import quantize, quantize_both, quantize_column
from .._errors import UsageError


class MXFP8:
    """Blocks of 32 with scales that are powers of two, on every chip."""

    name = "mxfp8"

    @staticmethod
    def require(compat):
        pass

    rows, columns, both = staticmethod(quantize), staticmethod(quantize_column), staticmethod(quantize_both)
    weight, weight_both = rows, both


class Blockwise:
    """DeepSeek-V3's: 1x128 of inputs and gradients, 128x128 of weights, with scales of f32, on sm_90a at FP8's full rate."""

    name = "blockwise"

    @staticmethod
    def require(compat):
        if compat is not None:
            raise UsageError(f"mxc: recipe blockwise: expected no compat, whose presets are of mxfp8, found {compat}")

    @staticmethod
    def rows(x, format, compat=None):
        return quantize(x, format, block="1x128")

    @staticmethod
    def columns(x, format, compat=None):
        return quantize(x.t().contiguous(), format, block="1x128")

    @classmethod
    def both(cls, x, format, compat=None):
        return *cls.rows(x, format), *cls.columns(x, format)

    @staticmethod
    def weight(x, format, compat=None):
        return quantize(x, format, block="128x128")

    @classmethod
    def weight_both(cls, x, format, compat=None):
        """A block's transpose is a block of the transpose, with the same scale."""
        q, s = cls.weight(x, format)
        return q, s, q.t().contiguous(), s.t().contiguous()


RECIPES = {recipe.name: recipe for recipe in (MXFP8, Blockwise)}


def recipe_named(name, compat=None):
    if name not in RECIPES:
        raise UsageError(f"mxc: recipe: expected {', '.join(RECIPES)}, found {name}")
    RECIPES[name].require(compat)
    return RECIPES[name]
