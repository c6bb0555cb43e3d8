import torch

def quantize(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor]: ...
def quantize_column(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor]: ...
def quantize_both(
    x: torch.Tensor, format: str = "e4m3", rounding: str = "ceil", layout: str = "tcgen05"
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]: ...
def dequantize(
    q: torch.Tensor, s: torch.Tensor, dtype: torch.dtype = torch.bfloat16, layout: str = "tcgen05"
) -> torch.Tensor: ...
