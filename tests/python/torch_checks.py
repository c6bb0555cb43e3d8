#!/usr/bin/env python3
"""mxc.torch against f64, on the GPU where there is one, else on a simulated chip with tensors in the host's memory.

  torch_checks.py [--device cuda|sm_90a|sm_100a] [unittest's arguments]"""
import unittest

import mxc
import torch
from torch_blockwise import Blockwise, BlockwiseLayers, SharedScales
from torch_case import DEVICE, IS_GPU
from torch_conversions import Conversions
from torch_derivatives import Derivatives
from torch_distributed import Distributed
from torch_gradients import Gradients
from torch_layers import Graphs, Layers, Transformers
from torch_memory import Memory
from torch_narrow import Narrow
from torch_nvfp4 import Nvfp4
from torch_products import Products

__all__ = ["Blockwise", "BlockwiseLayers", "Conversions", "Derivatives", "Distributed", "Gradients", "Graphs", "Layers", "Memory", "Narrow", "Nvfp4", "Products", "SharedScales", "Transformers"]

if __name__ == "__main__":
    print(f"mxc {mxc.version()}, torch {torch.__version__}, {torch.cuda.get_device_name() if IS_GPU else 'simulated ' + DEVICE}")
    unittest.main(verbosity=2)
