#!/usr/bin/env python3
"""Holds README.md and docs/**/*.md against the programs: exit 1 with the places where they are wrong.

Usage: run-documentation.py REPOSITORY
  - A block fenced as ```console, all of whose commands begin with "$ mxc " or "$ tools/dev/", is run in a temporary folder with a
    copy of docs/examples and with tools/dev, in order, one folder a document. A command must succeed. Where the block shows output, it must be the
    command's, up to spaces and the numbers of values (%12). "..." on a line of its own stands for any lines, within a
    line for any text. A block without output checks the commands alone.
  - The kernels that README.md shows stand together in a file of docs/examples.
  - C++ consists of lines that stand together in docs/examples/launch.cpp; docs/hosts.md shows the whole of it.
  - Relative links lead to files.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
TIMEOUT_SECONDS = 60


def normal(line):
    return " ".join(re.sub(r"%[\w$]+(#\d+)?", "%", line).split())


def difference(shown, found):
    """What of the shown lines is not in the output, or None."""
    lines, at, gap = [normal(line) for line in found], 0, False
    for line in shown:
        if line.strip() == "...":
            gap = True
            continue
        pattern = re.compile(".*".join(map(re.escape, normal(line).split("..."))))
        last = len(lines) if gap else min(at + 1, len(lines))
        place = next((i for i in range(at, last) if pattern.fullmatch(lines[i])), None)
        if place is None:
            return f"shown, but not printed: {line}" + ("" if gap or at >= len(found) else f"\n  printed: {found[at]}")
        at, gap = place + 1, False
    return None if gap or at == len(lines) else f"printed, but not shown: {found[at]}"


def commands(block):
    """(command, the output shown below it) of a block."""
    result = []
    for line in block.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            result.append((line[2:], []))
        elif result:
            result[-1][1].append(line)
    return result


def check_commands(text, folder):
    count, wrong = 0, []
    for kind, block in BLOCK.findall(text):
        todo = commands(block) if kind == "console" else []
        if not all(command.startswith(("mxc ", "tools/dev/")) for command, _ in todo):
            continue
        for command, shown in todo:
            count += 1
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, text=True, capture_output=True,
                                 stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS, check=False)
            if run.returncode:
                wrong.append(f"$ {command}\n  exit status {run.returncode}: {run.stderr.strip()}")
            elif shown and (what := difference(shown, run.stdout.splitlines())):
                wrong.append(f"$ {command}\n  {what}")
    return count, wrong


def snippets(text):
    return [block for kind, block in BLOCK.findall(text) if kind == "cpp"]


def check_snippets(text, example):
    return [f"not in docs/examples/launch.cpp:\n{block}" for block in snippets(text) if block not in example]


def check_kernels(text, repository):
    sources = [source.read_text() for source in (repository / "docs" / "examples").glob("*.mlir")]
    return [f"in no file of docs/examples:\n{block}" for kind, block in BLOCK.findall(text)
            if kind == "mlir" and not any(block in source for source in sources)]


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    count, failed = 0, False
    example = (repository / "docs" / "examples" / "launch.cpp").read_text()
    for document in [repository / "README.md", *sorted(repository.glob("docs/**/*.md"))]:
        text = document.read_text()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(repository / "docs" / "examples", pathlib.Path(folder) / "docs" / "examples")
            (pathlib.Path(folder) / "tools").symlink_to(repository / "tools")
            ran, wrong = check_commands(text, folder)
        count += ran
        wrong += check_snippets(text, example)
        if document == repository / "README.md":
            wrong += check_kernels(text, repository)
        if document.name == "hosts.md" and example not in snippets(text):
            wrong.append("docs/examples/launch.cpp is not in it as a whole")
        wrong += [f"no such file: {link}" for link in LINK.findall(text) if not (document.parent / link).exists()]
        for what in wrong:
            print(f"{document.relative_to(repository)}: {what}")
        failed = failed or bool(wrong)
    print(f"{count} commands ran")
    return 1 if failed or not count else 0


sys.exit(main())
