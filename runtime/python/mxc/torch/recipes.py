"""What becomes of the operands of a linear layer's products: a recipe chooses the blocks of each.

Every copy is quantized along what its product sums over: of a matrix [M, K] the copy along rows is [M, K], the one along columns
its transpose [K, M]. Copies are (codes, scales)."""

from typing import NamedTuple, Optional

import torch

from .quantizers import quantize, quantize_both, quantize_column
from .._errors import UsageError
from .._formats import HAVE_TENSOR_SCALES


class Recipe(NamedTuple):
    name: str
    block: str  # of inputs and of gradients
    weight_block: str
    input_format: Optional[str] = None  # in place of the caller's
    weight_format: Optional[str] = None
    is_for_training: bool = True

    @property
    def has_square_weights(self):
        """Whose transposed copy has the same scales, transposed."""
        return self.weight_block == "128x128"

    @property
    def has_tensor_scales(self):
        return self.block in HAVE_TENSOR_SCALES

    def tensor_scale(self, weight):
        """The float32 above a weight's scales, where the recipe's blocks have one."""
        if not self.has_tensor_scales:
            return None
        if not weight.numel():
            return weight.new_ones((), dtype=torch.float32)
        least, largest = weight.aminmax()
        return torch.maximum(-least, largest).float() / 2688

    def rows_alone(self, x, format, compat):
        """Codes and scales of x [M, K], and what each row is multiplied by then, f32 [M, 1], or None. In place of one scale of the tensor
        every row has its own, a power of two, so that none depends on another."""
        if not self.has_tensor_scales:
            return *self.rows(x, format, compat), None
        largest = torch.linalg.vector_norm(x, float("inf"), 1, True, dtype=torch.float32)
        bits = (largest / 1344).clamp(min=2.0**-126).view(torch.int32)
        scale = (bits & 0x7F800000).view(torch.float32)  # between largest / 2688 and its double; Inf of NaN and Inf
        scaled = torch.div(x, scale, out=torch.empty_like(x))  # no bit is lost that a code has
        return *self.rows(scaled, format, compat, scale.new_ones(())), scale

    def rows(self, x, format, compat, tensor_scale=None, activation=None):
        return quantize(
            x, self.input_format or format, compat=compat, block=self.block, tensor_scale=tensor_scale, activation=activation
        )

    def columns(self, x, format, compat):
        return quantize_column(x, format, compat=compat, block=self.block)

    def both(self, x, format, compat):
        return quantize_both(x, format, compat=compat, block=self.block)

    def weight(self, x, format, compat, tensor_scale=None):
        return quantize(x, self.weight_format or format, compat=compat, block=self.weight_block, tensor_scale=tensor_scale)

    def weight_both(self, x, format, compat):
        return quantize_both(x, format, compat=compat, block=self.weight_block)


RECIPES = {
    "mxfp8": Recipe("mxfp8", "1x32", "1x32"),
    "blockwise": Recipe("blockwise", "1x128", "128x128"),  # DeepSeek-V3's, on sm_90a at FP8's full rate
    "mxfp4": Recipe("mxfp4", "1x32", "1x32", "e2m1", "e2m1", is_for_training=False),
    "mxfp8_mxfp4": Recipe("mxfp8_mxfp4", "1x32", "1x32", None, "e2m1", is_for_training=False),  # inputs of 8 bits, weights of 4
    "nvfp4": Recipe("nvfp4", "1x16", "1x16", "e2m1", "e2m1", is_for_training=False),
}


def recipe_named(name, is_for_inference=False):
    recipe = RECIPES.get(name)
    if recipe is None or not (is_for_inference or recipe.is_for_training):
        known = [recipe.name for recipe in RECIPES.values() if is_for_inference or recipe.is_for_training]
        raise UsageError(f"mxc: recipe: expected {', '.join(known)}, found {name}")
    return recipe
