#!/usr/bin/env python3
"""Whether the stubs say what the package has: names, parameters, defaults. stubs.py PACKAGE_FOLDER"""
import ast
import inspect
import pathlib
import sys

import mxc

folder = pathlib.Path(sys.argv[1])
wrong = []


def parameters_of(node):
    arguments = node.args
    defaults = [None] * (len(arguments.posonlyargs + arguments.args) - len(arguments.defaults)) + arguments.defaults
    found = [(a.arg, d and ast.unparse(d)) for a, d in zip(arguments.posonlyargs + arguments.args, defaults)]
    if arguments.vararg:
        found.append(("*" + arguments.vararg.arg, None))
    found += [(a.arg, d and ast.unparse(d)) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        found.append(("**" + arguments.kwarg.arg, None))
    return found


def parameters_at_run_time(function):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        (stars.get(p.kind, "") + p.name, None if p.default is p.empty else repr(p.default))
        for p in inspect.signature(function).parameters.values()
    ]


def compare(nodes, owner, where):
    for node in nodes:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            if not hasattr(owner, node.name):
                wrong.append(f"{where}{node.name}: the package has none")
            else:
                compare(node.body, getattr(owner, node.name), f"{where}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            actual = inspect.getattr_static(owner, node.name, None)
            if actual is None:
                wrong.append(f"{where}{node.name}: the package has none")
            elif isinstance(actual, property) != any(ast.unparse(d) == "property" for d in node.decorator_list):
                wrong.append(f"{where}{node.name}: a property in one of the two alone")
            elif not isinstance(actual, property):
                said, found = parameters_of(node), parameters_at_run_time(actual)
                if said != found:
                    wrong.append(f"{where}{node.name}: the stub says {said}, the package has {found}")


nodes = ast.parse((folder / "__init__.pyi").read_text()).body
compare(nodes, mxc, "mxc.")
stubbed = {node.name for node in nodes if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
wrong += [f"mxc.{name}: the stub has none" for name in mxc.__all__ if name not in stubbed]

print("\n".join(wrong) or f"{len(stubbed)} names agree")
sys.exit(bool(wrong))
