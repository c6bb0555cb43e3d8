"""What becomes of the operands of a linear layer's products: a recipe chooses the blocks of each.

Every copy is quantized along what its product sums over: of a matrix [M, K] the copy along rows is [M, K], the one along columns
its transpose [K, M]. Copies are (codes, scales)."""

from typing import NamedTuple

from .quantizers import quantize, quantize_both, quantize_column
from .._errors import UsageError


class Recipe(NamedTuple):
    name: str
    block: str  # of inputs and of gradients
    weight_block: str

    @property
    def has_square_weights(self):
        """Whose transposed copy has the same scales, transposed."""
        return self.weight_block == "128x128"

    def rows(self, x, format, compat):
        return quantize(x, format, compat=compat, block=self.block)

    def columns(self, x, format, compat):
        return quantize_column(x, format, compat=compat, block=self.block)

    def both(self, x, format, compat):
        return quantize_both(x, format, compat=compat, block=self.block)

    def weight(self, x, format, compat):
        return quantize(x, format, compat=compat, block=self.weight_block)

    def weight_both(self, x, format, compat):
        return quantize_both(x, format, compat=compat, block=self.weight_block)


RECIPES = {
    "mxfp8": Recipe("mxfp8", "1x32", "1x32"),
    "blockwise": Recipe("blockwise", "1x128", "128x128"),  # DeepSeek-V3's, on sm_90a at FP8's full rate
}


def recipe_named(name):
    if name not in RECIPES:
        raise UsageError(f"mxc: recipe: expected {', '.join(RECIPES)}, found {name}")
    return RECIPES[name]
