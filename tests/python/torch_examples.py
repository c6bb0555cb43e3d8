#!/usr/bin/env python3
"""Runs the Python of docs/torch.md, block by block in one program, on a simulator."""
import pathlib
import re

page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "torch.md"
names, blocks = {}, re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)
for block in blocks:
    exec(compile(block, str(page), "exec"), names)
print(f"{len(blocks)} examples ran")
