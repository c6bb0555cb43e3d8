#!/usr/bin/env python3
"""A C program that says how long mxc.h's structs are and where their members lie: the package's ctypes must agree.
binding.py INCLUDE_FOLDER FOLDER"""
import ctypes
import pathlib
import subprocess
import sys

from mxc import _library

STRUCTS = {
    "mxc_engine_options": _library.EngineOptions,
    "mxc_load_options": _library.LoadOptions,
    "mxc_argument_info": _library.ArgumentInfo,
    "mxc_argument": _library.Argument,
    "mxc_launch_options": _library.LaunchOptions,
    "mxc_compile_options": _library.CompileOptions,
}
include, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
header = (include / "mxc" / "mxc.h").read_text()
lines = []
expected = [f"MXC_API_VERSION {_library.API_VERSION}", f"MXC_MAXIMUM_RANK {_library.MAXIMUM_RANK}"]
for name, struct in STRUCTS.items():
    lines.append(f'  printf("{name} %zu\\n", sizeof(struct {name}));')
    expected.append(f"{name} {ctypes.sizeof(struct)}")
    for member, _ in struct._fields_:
        lines.append(f'  printf("{name}.{member} %zu\\n", offsetof(struct {name}, {member}));')
        expected.append(f"{name}.{member} {getattr(struct, member).offset}")
for number, name in enumerate(("TENSOR", "DLPACK", "INTEGER", "REAL")):
    lines.append(f'  printf("MXC_VALUE_{name} %d\\n", MXC_VALUE_{name});')
    expected.append(f"MXC_VALUE_{name} {getattr(_library, 'VALUE_' + name)}")
program = folder / "binding.c"
program.write_text(
    "#include <mxc/mxc.h>\n#include <stdio.h>\nint main(void) {\n"
    '  printf("MXC_API_VERSION %d\\nMXC_MAXIMUM_RANK %d\\n", MXC_API_VERSION, MXC_MAXIMUM_RANK);\n'
    + "\n".join(lines)
    + "\n  return 0;\n}\n"
)
subprocess.run(["cc", f"-I{include}", program, "-o", folder / "binding"], check=True)
found = subprocess.run([folder / "binding"], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
wrong = [f"mxc.h has {theirs}, the package {ours}" for theirs, ours in zip(found, expected) if theirs != ours]
declared = {word.partition("(")[0] for word in header.replace("*", " ").split() if word.startswith("mxc_") and "(" in word}
wrong += [f"the package lacks {name}" for name in sorted(declared - _library._FUNCTIONS.keys() - {"mxc_last_error()"})]
print("\n".join(wrong) or f"{len(found)} places and {len(declared)} functions agree")
sys.exit(bool(wrong))
